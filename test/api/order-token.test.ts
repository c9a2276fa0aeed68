/** What an order token may and may not do. Contract 2.3, 2.9 and 2.10. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../src/domain/limits.ts';
import { microsecondTimestamp } from '../../src/domain/time.ts';
import { sealPayload } from '../../src/security/sealed-payload.ts';
import { addressBody, orderBody } from '../support/order-bodies.ts';
import { dumpTables } from '../support/test-database.ts';
import type { Reply } from '../support/test-service.ts';
import { assertRefused, claimsOf } from './assertions.ts';
import { captureOf, openShop } from './webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;

/** Every call an order token may make, without naming the order. */
const calls = [
  ['GET', 'order', undefined],
  ['PATCH', 'order', {}],
  ['POST', 'update-order', {}],
  ['POST', 'resolve-user', { mobile_number: '9876543210' }],
  ['POST', 'payment-modes', {}],
  ['POST', 'list-of-banks', {}],
  ['POST', 'list-of-wallets', {}],
  ['POST', 'transaction-enquiry', {}],
  ['POST', 'initiate-payment', { payment_mode_code: 'upi', upi_id: 'asha@okbank' }],
] as const;

for (const [method, path, body] of calls) {
  test(`${method} ${path} uses the order of the token when no order is named`, async () => {
    const { token, order_id } = await create();
    const reply = await service.call(`/api/v3/${path}`, { method, token, ...(body && { body }) });
    // Routed to a provider that the account has no settings for.
    if (path === 'initiate-payment') return assertRefused(reply, 'PAYMENT_MODE_NOT_ENABLED');
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    const named = reply.body.order_id ?? reply.body.order?.svc_order_id;
    if (path.includes('order') || path.includes('enquiry')) assert.equal(named, order_id);
  });

  test(`${method} ${path} answers 404 for another order, even one of the same account`, async () => {
    const { token } = await create();
    const other = await create();
    const before = await dumpTables(service.database);
    const reply = await call(method, path, token, { ...body, order_id: other.order_id });
    assertRefused(reply, 'ORDER_NOT_FOUND');
    assert.deepEqual(await dumpTables(service.database), before);
  });

  test(`${method} ${path} refuses a token without the consumer that the order is restricted to`, async () => {
    const { token, order_id } = await create();
    const resolved = await post('resolve-user', token, { mobile_number: '9000000001' });
    assert.equal(resolved.status, 200);
    const before = await dumpTables(service.database);
    const consumer = { ...body, ...(path === 'resolve-user' && { mobile_number: '9000000001' }) };
    const refused = await call(method, path, token, { ...consumer, order_id });
    assertRefused(refused, 'PERMISSION_DENIED', 'restricted to one consumer');
    assert.deepEqual(await dumpTables(service.database), before);
    const served = await call(method, path, resolved.body.token, { ...consumer, order_id });
    if (path === 'initiate-payment') assertRefused(served, 'PAYMENT_MODE_NOT_ENABLED');
    else assert.equal(served.status, 200, JSON.stringify(served.body));
  });
}

test('a null or empty order_id means the order of the token', async () => {
  const { token } = await create();
  for (const path of ['payment-modes', 'list-of-banks', 'update-order', 'transaction-enquiry']) {
    for (const order_id of [null, '']) {
      const reply = await post(path, token, { order_id });
      assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
    }
    const bare = await service.call(`/api/v3/${path}`, { method: 'POST', token });
    assert.equal(bare.status, 200, `${path} without a body: ${JSON.stringify(bare.body)}`);
  }
});

test('a merchant has to name the order', async () => {
  for (const [method, path, body] of calls) {
    const reply = await call(method, path, account.token, { ...body });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', 'order_id');
  }
});

test('resolve-user replaces an order token by one for the consumer that expires at the same time', async () => {
  const { token, token_expiration, order_id } = await create();
  service.advanceSeconds(60);
  const { body } = await post('resolve-user', token, { mobile_number: '9000000002' });
  assert.equal(body.token_expiration, token_expiration);
  const claims = claimsOf(body.token);
  assert.deepEqual(
    [claims.order_id, claims.user_id, claims.exp],
    [order_id, body.user.user_id, claimsOf(token).exp],
  );
});

test('resolve-user gives a merchant no token', async () => {
  const { order_id } = await create();
  const merchant = await shop.freshToken();
  const { body } = await post('resolve-user', merchant, { order_id, mobile_number: '9000000003' });
  assert.deepEqual(Object.keys(body), ['user', 'next']);
});

test('an order token is returned unchanged and cannot renew itself', async () => {
  const { token } = await create();
  service.advanceSeconds(600);
  const expiration = microsecondTimestamp(new Date(Number(claimsOf(token).exp) * 1000));
  for (const [method, path, body] of calls.slice(0, 3)) {
    const reply = await service.call(`/api/v3/${path}`, { method, token, ...(body && { body }) });
    assert.deepEqual([reply.body.token, reply.body.token_expiration], [token, expiration], path);
  }
});

test('an order token is returned unchanged on a completed order too', async () => {
  const order = await create();
  assert.equal((await shop.sendPartner(captureOf(order))).status, 200);
  const { body } = await service.call('/api/v3/order', { token: order.token });
  assert.deepEqual([body.status, body.token], ['completed', order.token]);
});

test('an order token sees only the city, state and pincode of an address', async () => {
  const shipping_address = addressBody('Home');
  const { token, order_id } = await create({ shipping_address });
  const seen = { city: 'Bengaluru', state: 'Karnataka', pincode: '560001', address_type: 'Home' };
  assert.deepEqual((await service.call('/api/v3/order', { token })).body.shipping_address, seen);
  const changed = await post('update-order', token, { shipping_address: { city: 'Mysuru' } });
  assert.deepEqual(changed.body.shipping_address, { city: 'Mysuru' });
  const merchant = await shop.freshToken();
  await post('update-order', merchant, { order_id, shipping_address });
  const whole = await service.call(`/api/v3/order?order_id=${order_id}`, { token: merchant });
  assert.deepEqual(whole.body.shipping_address, shipping_address);
});

const forbidden: [field: string, value: unknown][] = [
  ['description', 'Another cart'],
  ['referrer_platform', 'plugin'],
  ['referrer_platform_version', '1'],
  ['ip_address', '203.0.113.7'],
  ['currency', 'INR'],
  ['total_amount', 1],
  ['tax', 0],
  ['amount_before_tax', 1],
  ['order_line_items', [{ title: 'Tea', quantity: 1, rate: 1 }]],
  ['invoice_id', 'INV-other'],
  ['bank_account', { account_number: '1' }],
  ['validate_order_line_item', false],
  ['status', 'completed'],
];
for (const [field, value] of forbidden) {
  test(`an order token that sends ${field} is refused, the message names it, and nothing changes`, async () => {
    const { token } = await create();
    const before = await dumpTables(service.database);
    const reply = await post('update-order', token, { user: { first_name: 'B' }, [field]: value });
    assertRefused(reply, 'PERMISSION_DENIED', `may not change ${field}:`);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

test('an order token may change the consumer, the addresses and the domain of the shop', async () => {
  const { token, order_id } = await create();
  const reply = await call('PATCH', 'order', token, {
    user: { first_name: 'Bela' },
    shipping_address: { city: 'Mysuru' },
    billing_address: { city: 'Mysuru' },
    merchant_shopfront_domain: 'https://shop.example',
    description: null,
    referrer_platform: '',
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const merchant = await shop.freshToken();
  const { body } = await service.call(`/api/v3/order?order_id=${order_id}`, { token: merchant });
  assert.equal(body.user.first_name, 'Bela');
});

test('an order token may set custom_attributes once, and then only the merchant may change them', async () => {
  const { token, order_id } = await create();
  const set = (campaign: unknown, by = token) =>
    call('PATCH', 'order', by, { order_id, custom_attributes: { campaign } });
  const attributes = async () =>
    (await service.call('/api/v3/order', { token })).body.custom_attributes;
  assert.equal(await attributes(), undefined);
  assert.equal((await set('diwali')).status, 200);
  const before = await dumpTables(service.database);
  assert.equal((await set('diwali')).status, 200, 'a repeat changes nothing');
  const refused = await call('PATCH', 'order', token, {
    user: { first_name: 'B' },
    custom_attributes: { campaign: 'holi' },
  });
  assertRefused(
    refused,
    'PERMISSION_DENIED',
    /^An order token may set custom_attributes only while/,
  );
  for (const nothing of [null, {}, { campaign: null }]) {
    const reply = await call('PATCH', 'order', token, { custom_attributes: nothing });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
  assert.deepEqual(await dumpTables(service.database), before);
  assert.deepEqual(await attributes(), [{ key: 'campaign', value: 'diwali' }]);
  const merchant = await shop.freshToken();
  assert.equal((await set('holi', merchant)).status, 200);
  assert.deepEqual(await attributes(), [{ key: 'campaign', value: 'holi' }]);
});

test('an order token does not change custom_attributes that the merchant gave', async () => {
  const { token } = await create({ custom_attributes: { campaign: 'diwali' } });
  const reply = await post('update-order', token, { custom_attributes: { gift: 'yes' } });
  assertRefused(reply, 'PERMISSION_DENIED', 'use a merchant token');
});

test('an order token may not send a sealed body, and the refusal does not depend on the account', async () => {
  const sealing = await openShop({ encryptedPayloads: true });
  const order = await sealing.createOrder();
  const { accessSecret } = sealing.account;
  const encrypted_payload = sealPayload(JSON.stringify({ order_id: order.order_id }), accessSecret);
  for (const [place, token] of [
    [sealing, order.token],
    [shop, (await create()).token],
  ] as const) {
    const reply = await place.service.call('/api/v3/payment-modes', {
      token,
      body: { encrypted_payload },
    });
    assertRefused(reply, 'PERMISSION_DENIED', 'sealed');
  }
});

test('an order token cannot find out whether a phone number belongs to a customer', async () => {
  const customer = '9111111111';
  const paid = await create({ user: consumerOf(customer) });
  assert.equal((await shop.sendPartner(captureOf(paid))).status, 200);
  const merchant = await shop.freshToken();
  const known = await create({ user: consumerOf(customer) });
  const userIdOf = async (orderId: string) =>
    (await service.call(`/api/v3/order?order_id=${orderId}`, { token: merchant })).body.user
      .user_id;
  const customerId = await userIdOf(known.order_id);
  assert.equal(customerId, await userIdOf(paid.order_id));

  for (const path of ['update-order', 'resolve-user']) {
    for (const number of [customer, '9222222222']) {
      const { token } = await create({ user: consumerOf('9333333333') });
      const body =
        path === 'resolve-user' ? { mobile_number: number } : { user: consumerOf(number) };
      const changed = await post(path, token, body);
      assert.equal(changed.status, 200, JSON.stringify(changed.body));
      assert.notEqual(changed.body.user.user_id, customerId);
      const modes = await post('payment-modes', changed.body.token, {});
      assert.deepEqual(modes.body.fast_payment_modes.items, [], `${path} ${number}`);
    }
  }

  const own = await post('resolve-user', known.token, { mobile_number: customer });
  assert.equal(own.body.user.user_id, customerId, 'whom the merchant named stays who they are');
});

test('a merchant who sends the same number links the order to that customer', async () => {
  const { order_id, token } = await create({ user: consumerOf('9333333334') });
  const own = await post('update-order', token, { user: { mobile_number: '9444444444' } });
  const merchant = await shop.freshToken();
  const user = { mobile_number: '9444444444' };
  const named = await post('update-order', merchant, { order_id, user });
  const other = await create({ user: consumerOf('9444444444') });
  assert.notEqual(own.body.user.user_id, named.body.user.user_id);
  assert.equal(named.body.user.user_id, other.user.user_id);
});

test('a merchant who corrects the e-mail address does not confirm the number that an order token set', async () => {
  const { order_id, token } = await create({ user: consumerOf('9333333335') });
  const own = await post('update-order', token, { user: { mobile_number: '9111111111' } });
  const merchant = await shop.freshToken();
  for (const user of [{ email: 'other@example.com' }, { country_code: '+91' }]) {
    const corrected = await post('update-order', merchant, { order_id, user });
    assert.equal(corrected.body.user.user_id, own.body.user.user_id);
  }
  const named = await create({ user: consumerOf('9333333336') });
  const country = await post('update-order', merchant, {
    order_id: named.order_id,
    user: { country_code: '+1' },
  });
  const abroad = { ...consumerOf('9333333336'), country_code: '+1' };
  const known = await create({ user: abroad });
  assert.equal(country.body.user.user_id, known.user.user_id, 'whom the merchant named before');
});

test('a merchant may resolve the same consumer again on a restricted order', async () => {
  const { order_id, token } = await create();
  const own = await post('resolve-user', token, { mobile_number: '9555555555' });
  const merchant = await shop.freshToken();
  const again = await post('resolve-user', merchant, { order_id, mobile_number: '9555555555' });
  assert.equal(again.status, 200, JSON.stringify(again.body));
  assert.equal(again.body.user.user_id, own.body.user.user_id);
  assert.equal((await service.call('/api/v3/order', { token: own.body.token })).status, 200);
});

test('an order token has 20 requests a second, which do not count against the account', async () => {
  const limited = await openShop({ requestsPerSecond: 2 });
  const order = await limited.createOrder();
  const ask = () => limited.service.call('/api/v3/order', { token: order.token });
  const replies = await Promise.all(Array.from({ length: 60 }, ask));
  const served = replies.filter(({ status }) => status === 200);
  assert.ok(served.length >= limits.orderTokenRequestsPerSecond, `${served.length}`);
  const refused = replies.filter(({ status }) => status !== 200);
  assert.ok(refused.length > 0);
  for (const reply of refused) {
    assertRefused(reply, 'RATE_LIMITED');
    assert.ok(reply.headers.get('retry-after'));
  }
  limited.service.advanceSeconds(1);
  assert.equal((await ask()).status, 200);
  const enquired = await limited.enquire({ order_id: order.order_id });
  assert.equal(enquired.status, 200, 'the quota of the account is untouched');
});

test('an order token may change its order a hundred times in total; after that only a merchant may', async () => {
  const { token, order_id } = await create();
  const change = (city: string) => post('update-order', token, { shipping_address: { city } });
  for (let times = 1; times <= limits.orderTokenChangesMax; times += 1) {
    service.advanceSeconds(0.1);
    assert.equal((await change(`City ${times}`)).status, 200, `change ${times}`);
  }
  service.advanceSeconds(1);
  assert.equal((await change('City 100')).status, 200, 'an update of nothing is no change');
  const before = await dumpTables(service.database);
  assertRefused(await change('City 101'), 'RATE_LIMITED', '100 times');
  const resolved = await post('resolve-user', token, { mobile_number: '9000000009' });
  assertRefused(resolved, 'RATE_LIMITED', '100 times');
  assert.deepEqual(await dumpTables(service.database), before);
  const merchant = await shop.freshToken();
  const served = await post('update-order', merchant, {
    order_id,
    shipping_address: { city: 'City 101' },
  });
  assert.equal(served.status, 200);
});

function consumerOf(mobile_number: string) {
  return { email: `${mobile_number}@example.com`, first_name: 'A', mobile_number };
}

async function create(changes: Record<string, unknown> = {}): Promise<Reply['body']> {
  const token = await shop.freshToken();
  const reply = await service.call('/api/v3/create-order', { token, body: orderBody(changes) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

function post(path: string, token: string, body: object): Promise<Reply> {
  return service.call(`/api/v3/${path}`, { token, body: body as Record<string, unknown> });
}

/** The order is named in the query of a GET, in the body otherwise. */
function call(
  method: string,
  path: string,
  token: string,
  { order_id, ...body }: Record<string, unknown>,
): Promise<Reply> {
  if (method !== 'GET') {
    const named = order_id === undefined ? body : { ...body, order_id };
    return service.call(`/api/v3/${path}`, { method, token, body: named });
  }
  const query = order_id === undefined ? '' : `?order_id=${order_id}`;
  return service.call(`/api/v3/${path}${query}`, { token });
}
