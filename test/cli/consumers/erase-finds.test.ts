/** Which orders `consumer erase` finds: by every spelling, and by earlier consumers of an order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { openShop } from '../../api/webhooks/shop.ts';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { eraseIn, findSpellings } from '../../support/erasure.ts';

type Fields = Record<string, unknown>;

const shop = await openShop();
const { service } = shop;
const { accountId } = shop.account;

/** The phone number of an order, the number given to `consumer erase`, and whether it finds the order. */
const numbers: [sent: Fields, given: string, isFound: boolean][] = [
  [{ mobile_number: '+44 20 7946 0101' }, '+442079460101', true],
  [{ mobile_number: '+44 20 7946 0102' }, '0044 (0)20 7946 0102', true],
  [{ mobile_number: '+44 20 7946 0103' }, '2079460103', true],
  [{ mobile_number: '+44 20 7946 0104' }, '02079460104', true],
  [{ mobile_number: '+44 20 7946 0105' }, '442079460105', true],
  [{ mobile_number: '+44 20 7946 0106' }, '+91 2079460106', false],
  [{ mobile_number: '+1 415 555 0101' }, '+1 (415) 555-0101', true],
  [{ mobile_number: '+1 415 555 0102' }, '4155550102', true],
  [{ mobile_number: '+1 415 555 0103' }, '14155550103', true],
  [{ country_code: '999', mobile_number: '4155550104' }, '+999 4155550104', true],
  [{ country_code: '999', mobile_number: '4155550105' }, '+999 (0) 4155550105', true],
  [{ country_code: '1242', mobile_number: '5550106' }, '+1 242 555 0106', true],
  [{ mobile_number: '+91 (0) 70000 11101' }, '+91 (0) 70000 11101', true],
  [{ mobile_number: '7000011102' }, '+91 [70000] 1\u20111102\u200e', true],
  [
    { mobile_number: '7000011103' },
    '\uff17\uff10\uff10\uff10\uff10\uff11\uff11\uff11\uff10\uff13',
    true,
  ],
  [{ mobile_number: '7000011104' }, '+1 7000011104', false],
];
for (const [sent, given, isFound] of numbers) {
  const { country_code = '', mobile_number } = sent;
  const not = isFound ? '' : 'not ';
  test(`an order of ${country_code} ${mobile_number} is ${not}found by "${given}"`, async () => {
    const user = { email: `${Date.now()}@example.org`, first_name: 'Ines', ...sent };
    const { order_id } = await shop.createOrder({ user });
    const { orders, mentioned_orders } = await erase(['--mobile', given]);
    assert.deepEqual([orders, mentioned_orders], [isFound ? 1 : 0, 0]);
    const stored = (await getOrder(order_id)).user;
    assert.equal(stored.first_name, isFound ? '[erased]' : 'Ines');
    assert.equal('mobile_number' in stored, !isFound);
  });
}

test('a phone number is found in free text however it is grouped', async () => {
  const email = 'grouped@example.org';
  const user = { email, first_name: 'Ines', mobile_number: '+44 20 7946 0120' };
  const description = 'Call +44 (0) 20 7946 0120 or 020\n7946-0120 or +44 [20] 7946\u20110120';
  const own = await shop.createOrder({ user, description });
  const other = await shop.createOrder({ description: 'Tell +44 (0)20\n7946\t0120' });
  const { orders, mentioned_orders } = await erase(['--mobile', '+442079460120']);
  assert.deepEqual([orders, mentioned_orders], [2, 1]);
  const { description: left } = await getOrder(own.order_id);
  assert.equal(left, 'Call [erased] or [erased] or [erased]');
  assert.equal((await getOrder(other.order_id)).description, 'Tell [erased]');
});

const addresses: [stored: string, given: string][] = [
  ['\u0130nci.one@mail.example', '\u0130nci.one@mail.example'],
  ['\u0130nci.two@mail.example', '\u0130NCI.TWO@MAIL.EXAMPLE'],
  ['\u0130nci.three@mail.example', '\u0130nci.three@mail.example'.toLowerCase()],
  ['R\u00c9MI@mail.example', 're\u0301mi@mail.example'],
  ['\u212aim@mail.example', '\u212aim@mail.example'],
  ['o"neil\\@mail.example', 'O"Neil\\@mail.example'],
];
for (const [index, [email, given]] of addresses.entries()) {
  test(`an order of ${email} is found by ${given}, and so is a mention`, async () => {
    const user = { email, first_name: 'Inci', mobile_number: `900001234${index}` };
    const { order_id } = await shop.createOrder({ user });
    const description = `Ask ${email}`;
    const other = await shop.createOrder({ description });
    const encoded = `https://shop.example/?mail=${encodeURIComponent(email).replaceAll('.', '%2E')}`;
    const linked = await shop.createOrder({ callback_url: encoded });
    const { orders, mentioned_orders } = await erase(['--email', given]);
    assert.deepEqual([orders, mentioned_orders], [3, 2]);
    const order = await getOrder(order_id);
    assert.deepEqual([order.user.first_name, 'email' in order.user], ['[erased]', false]);
    assert.equal((await getOrder(other.order_id)).description, 'Ask [erased]');
    assert.equal(
      (await getOrder(linked.order_id)).callback_url,
      'https://shop.example/?mail=[erased]',
    );
  });
}

const former = {
  email: 'former.ines@example.org',
  first_name: 'Inesformer',
  last_name: 'Moreira',
  mobile_number: '9222200001',
};
const later = 'later@example.org';
const changes: { how: string; path: string; body: Fields; named: string[] }[] = [
  {
    how: 'update-order changed the e-mail address',
    path: 'update-order',
    body: { user: { email: later } },
    named: ['--email', former.email],
  },
  {
    how: 'update-order changed the phone number',
    path: 'update-order',
    body: { user: { mobile_number: '9222200002' } },
    named: ['--mobile', '92222 00001'],
  },
  {
    how: 'update-order changed the country code',
    path: 'update-order',
    body: { user: { country_code: '44', mobile_number: '9222200001' } },
    named: ['--mobile', '+919222200001'],
  },
  {
    how: 'resolve-user named another consumer',
    path: 'resolve-user',
    body: { mobile_number: '9222200003', email: later },
    named: ['--email', former.email.toUpperCase()],
  },
];
for (const { how, path, body, named } of changes) {
  test(`after ${how} the earlier one still finds the order`, async () => {
    const { order_id } = await shop.createOrder({
      user: former,
      shipping_address: { address_1: '5 Formerstreet', city: 'Pune' },
      ip_address: '198.51.100.81',
    });
    await call(path, { order_id, ...body });
    const payment = partnerPayment({
      notes: { svc_order_id: order_id },
      email: former.email,
      contact: '+919222200001',
    });
    await shop.sendPartner(partnerEvent('payment.captured', { payment }));
    const { orders, mentioned_orders } = await erase(named);
    assert.deepEqual([orders, mentioned_orders], [1, 0]);
    const spellings = ['former.ines', 'inesformer', 'moreira', 'formerstreet', '198.51.100.81'];
    assert.deepEqual(await findSpellings(service.database, spellings), []);
    const again = await erase(named);
    assert.deepEqual([again.orders, again.deliveries, again.history_rows], [0, 0, 0]);
    assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
  });
}

test('an order whose consumer changed twice is found by each of its consumers', async () => {
  for (const email of ['first@example.org', 'second@example.org', 'third@example.org']) {
    const user = { email: 'first@example.org', first_name: 'Ines', mobile_number: '9222200010' };
    const { order_id } = await shop.createOrder({ user });
    await call('update-order', { order_id, user: { email: 'second@example.org' } });
    await call('update-order', { order_id, user: { first_name: 'Inez' } });
    await call('update-order', { order_id, user: { email: 'third@example.org' } });
    assert.equal((await erase(['--email', email])).orders, 1, email);
    assert.equal((await getOrder(order_id)).user.first_name, '[erased]');
  }
});

test('other orders are found by the phone number that was stored with the given address, and by no later one', async () => {
  const user = { email: 'giver@example.org', first_name: 'Ines', mobile_number: '9222200020' };
  const given = await shop.createOrder({ user });
  const sameNumber = await shop.createOrder({ user: { ...user, email: 'giver.work@example.org' } });
  const later = { email: 'taker@example.org', first_name: 'Tara', mobile_number: '9222200021' };
  await call('resolve-user', { order_id: given.order_id, ...later });
  const alsoChanged = await shop.createOrder({ user: { ...user, email: 'giver.old@example.org' } });
  await call('resolve-user', { order_id: alsoChanged.order_id, ...later });
  const ofLater = await shop.createOrder({ user: later });

  const { orders, mentioned_orders } = await erase(['--email', user.email]);
  assert.deepEqual([orders, mentioned_orders], [3, 0]);
  for (const { order_id } of [given, sameNumber, alsoChanged]) {
    assert.equal((await getOrder(order_id)).user.first_name, '[erased]');
  }
  const { user: kept } = await getOrder(ofLater.order_id);
  assert.deepEqual([kept.first_name, kept.mobile_number], ['Tara', 9222200021]);
});

test('an order that the erased consumer only paid for somebody else keeps its own consumer, also after a change', async () => {
  const user = { email: 'gift@example.org', first_name: 'Gita', mobile_number: '9222200030' };
  const { order_id } = await shop.createOrder({ user });
  await call('update-order', { order_id, user: { email: 'gita@example.org' } });
  const payment = partnerPayment({
    notes: { svc_order_id: order_id },
    email: 'payer@example.org',
    contact: '+919222200031',
  });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const { orders, mentioned_orders } = await erase(['--email', 'payer@example.org']);
  assert.deepEqual([orders, mentioned_orders], [1, 1]);
  assert.deepEqual(await findSpellings(service.database, ['payer@', '9222200031']), []);
  const kept = (await getOrder(order_id)).user;
  assert.deepEqual([kept.email, kept.first_name], ['gita@example.org', 'Gita']);
  // The digest of its earlier consumer is still stored.
  assert.equal((await erase(['--email', user.email])).orders, 1);
  assert.equal((await getOrder(order_id)).user.first_name, '[erased]');
});

test('only a keyed digest of an earlier consumer is stored, and none if the consumer never changed', async () => {
  const user = { email: 'digest@example.org', first_name: 'Dia', mobile_number: '9222200040' };
  const { order_id } = await shop.createOrder({ user });
  await call('update-order', {
    order_id,
    user: { first_name: 'Diya', email: 'DIGEST@example.org' },
  });
  assert.equal(await earlierOf(order_id), null);
  const next = { email: 'next@example.org', mobile_number: '9222200041' };
  await call('update-order', { order_id, user: next });
  const earlier = JSON.stringify(await earlierOf(order_id));
  assert.match(earlier, /"digest":/);
  assert.deepEqual(await findSpellings(service.database, ['digest@', '9222200040']), []);
  await call('update-order', { order_id, user });
  await call('update-order', { order_id, user: next });
  const repeated = (await earlierOf(order_id)) as unknown[];
  assert.equal(new Set(repeated.map((entry) => JSON.stringify(entry))).size, repeated.length);
  assert.equal('earlier_consumers' in (await getOrder(order_id)), false);
});

async function earlierOf(orderId: string): Promise<unknown> {
  const { rows } = await service.database.query<{ earlier_consumers: unknown }>({
    text: 'select * from orders where order_id = $1',
    values: [orderId],
  });
  return rows[0]?.earlier_consumers;
}

function erase(words: string[]) {
  return eraseIn(service, accountId, words);
}

async function call(path: string, body: Fields): Promise<void> {
  const reply = await service.call(`/api/v3/${path}`, { token: await shop.freshToken(), body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
}

// biome-ignore lint/suspicious/noExplicitAny: the reply is asserted field by field
async function getOrder(orderId: string): Promise<any> {
  const token = await shop.freshToken();
  const { status, body } = await service.call(`/api/v3/order?order_id=${orderId}`, { token });
  assert.equal(status, 200);
  return body;
}
