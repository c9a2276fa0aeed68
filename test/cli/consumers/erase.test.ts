import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import { verifyInvariants } from '../../../src/use-cases/upkeep/verify-invariants.ts';
import { openShop, type Shop, shopOf } from '../../api/webhooks/shop.ts';
import { runCommandHere } from '../../support/command-here.ts';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  toFormData,
} from '../../support/deliveries.ts';
import {
  assertErased,
  eraseIn,
  findSpellings,
  holder,
  meera,
  personalOrder,
  spellings,
  upiId,
} from '../../support/erasure.ts';
import { startJourney } from '../../support/journey.ts';
import { checkingAccounts } from '../../support/test-account.ts';
import { type TestService, testMasterKeyHex } from '../../support/test-service.ts';

type Fields = Record<string, unknown>;

const daySeconds = 24 * 60 * 60;

test('an erased consumer is found nowhere, amounts and states stay, and verify finds nothing', async () => {
  const shop = await openShop(checkingAccounts);
  const paid = await createPaidOrders(shop);
  await sendStrays(shop);
  const before = await Promise.all(paid.map((order) => shop.enquire({ order_id: order.order_id })));
  const present = new Set((await findSpellings(shop.service.database)).map(spellingOf));
  const sealed = ['40501234567890', 'sbin0070028'];
  assert.deepEqual(
    spellings.filter((spelling) => !present.has(spelling)),
    sealed,
    'all of it was there, but for what is sealed',
  );

  const erased = await erase(shop, ['--email', 'meera.nair@EXAMPLE.org']);
  const { history_rows, transactions, deliveries, ...others } = erased;
  assert.deepEqual(others, {
    account_id: shop.account.accountId,
    orders: paid.length,
    mentioned_orders: 0,
    events: 0,
    notes: 2,
  });
  assert.ok(transactions > 0 && history_rows > 0 && deliveries > paid.length);
  await assertErased(shop.service.database);
  await assertSound(shop);

  const withoutPerson = (reply: Fields) =>
    JSON.parse(JSON.stringify(reply), (name, value) =>
      ['sub_payment_mode', 'message', 'failure_reason', 'custom_attributes', 'user'].includes(name)
        ? undefined
        : value,
    );
  for (const [index, order] of paid.entries()) {
    const now = await shop.enquire({ order_id: order.order_id });
    assert.equal(now.status, 200);
    assert.deepEqual(withoutPerson(now.body), withoutPerson(before[index]?.body));
    const got = await getOrder(shop, order.order_id);
    assert.equal(got.status, 200);
    assert.deepEqual(
      [got.body.total_amount, got.body.user.first_name, got.body.shipping_address.city],
      [118, '[erased]', '[erased]'],
    );
    assert.equal('mobile_number' in got.body.user || 'email' in got.body.user, false);
  }
});

test('repeats of erased deliveries are duplicates, and restore no personal data', async () => {
  const shop = await openShop(checkingAccounts);
  const order = await shop.createOrder(personalOrder);
  const bodies = deliveriesOf(order);
  const send = async () => {
    const replies = [
      await shop.sendPartner(bodies.partner, { eventId: 'evtErased1' }),
      await shop.sendGateway(bodies.json, { eventId: 'ntfErased1' }),
      await shop.sendGateway(bodies.form),
    ];
    return replies.map(({ body }) => body.status);
  };
  await send();
  const words = ['consumer', 'erase', shop.account.accountId, '--email', meera.email, '--json'];
  const { code, stdout, stderr } = await runCommandHere(words, envOf(shop));
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(JSON.parse(stdout).deliveries, 3);
  const before = await shop.listDeliveries();
  assert.deepEqual(await send(), ['duplicate', 'duplicate', 'duplicate']);
  assert.deepEqual(await shop.listDeliveries(), before);
  await assertErased(shop.service.database);
});

test('a later delivery for an erased order is erased before it is stored', async () => {
  const shop = await openShop(checkingAccounts);
  const order = await shop.createOrder(personalOrder);
  const payment = paymentOf(order);
  await shop.sendPartner(partnerEvent('payment.authorized', { payment }));
  shop.service.advanceSeconds(daySeconds);
  await erase(shop, ['--email', meera.email]);

  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const refund = partnerRefund(payment, { notes: { name: 'Meerabai' } });
  await shop.sendPartner(partnerEvent('refund.processed', { payment, refund }));
  await shop.sendPartner(partnerEvent('payment.dispute.created', { payment }));
  const { json, form } = deliveriesOf(order);
  await shop.sendGateway(json);
  await shop.sendGateway(form);
  await assertErased(shop.service.database);
  const { body } = await shop.enquire({ order_id: order.order_id });
  assert.equal(body.order.status, 'completed');
  const own = body.transaction.find((entry: Fields) => entry.psp_transaction_id === payment.id);
  assert.deepEqual(own.sub_payment_mode, {
    upi_id: '[erased]',
    upi_flow: 'collect',
  });
  await assertSound(shop);
});

test('a parked delivery that is applied to an erased order is erased too', async () => {
  const shop = await openShop(checkingAccounts);
  const order = await shop.createOrder(personalOrder);
  shop.service.advanceSeconds(daySeconds);
  await erase(shop, ['--email', meera.email]);
  // A void waits for its payment.
  const own = deliveriesOf(order).json;
  const { transaction, ...rest } = own as { transaction: Fields };
  const reply = await shop.sendGateway({
    ...rest,
    transaction: { ...transaction, id: '9', type: 'VOID_PAYMENT', targetTransactionId: '1' },
  });
  assert.equal(reply.body.status, 'parked');
  await assertErased(shop.service.database);
  await shop.sendGateway(own);
  assert.equal((await shop.findDelivery(reply))?.state === 'parked', false);
  await assertErased(shop.service.database);
  await assertSound(shop);
});

test('payments and refunds that were started here are erased, and continue', async () => {
  const journey = await startJourney();
  const { service, simulator } = journey;
  const { accountId, token } = journey.shop;
  const { orderId } = await journey.createPaid({ ...personalOrder, invoice_id: 'STARTED-1' });
  const other = await journey.createOrder({ ...personalOrder, invoice_id: 'STARTED-2' });
  await journey.initiate(other, 'upi', { upi_id: upiId });
  await journey.refund({ invoice_id: 'STARTED-1', refund_amount: 10, refund_request_id: 'RR-1' });
  await simulator.settled();
  service.advanceSeconds(daySeconds);
  const erased = await eraseIn(service, accountId, ['--mobile', '+91 98123 45670']);
  assert.equal(erased.orders, 2);
  await journey.refund({ invoice_id: 'STARTED-1', refund_amount: 20, refund_request_id: 'RR-2' });
  await simulator.settled();
  await journey.heal();
  await simulator.settled();
  // The simulator's consumer has its own address, which was erased with the order.
  assert.deepEqual(await findSpellings(service.database), []);
  const { order } = (await journey.enquire({ order_id: orderId })).body;
  assert.equal(order.refund_details.refunded_amount, 30);
  const { transaction } = (await journey.enquire({ order_id: other })).body;
  assert.equal(transaction[0].sub_payment_mode.upi_id, '[erased]');
  await journey.assertSound();
  assert.ok(token);
});

test('an open order is erased too, and can still be paid', async () => {
  const shop = await openShop(checkingAccounts);
  const { service } = shop;
  const open = await shop.createOrder(personalOrder);
  assert.equal((await erase(shop, ['--mobile', '9812345670'])).orders, 1);
  await assertErased(service.database);
  assert.equal((await shop.sendPartner(deliveriesOf(open).partner)).body.status, 'processed');
  assert.equal((await getOrder(shop, open.order_id)).body.status, 'completed');
  await assertErased(service.database);
});

const namings: [string, string[]][] = [
  ['the e-mail address in another case', ['--email', ' MEERA.nair@example.ORG ']],
  ['the number with country code and groups', ['--mobile', '+91 98123 45670']],
  ['the number with 00', ['--mobile', '0091-98123-45670']],
  ['the number alone', ['--mobile', '9812345670']],
  ['the number with a zero', ['--mobile', '09812345670']],
  ['the number behind its country code', ['--mobile', '919812345670']],
  ['both', ['--mobile', '9812345670', '--email', meera.email]],
];
for (const [how, words] of namings) {
  test(`a consumer can be named by ${how}`, async () => {
    const shop = await openShop(checkingAccounts);
    await shop.createOrder({ ...personalOrder, user: { ...meera, mobile_number: 9812345670 } });
    await sendStrays(shop);
    shop.service.advanceSeconds(daySeconds);
    assert.equal((await erase(shop, words)).orders, 1);
    await assertErased(shop.service.database);
  });
}

test('orders of the same consumer with another e-mail address are erased as well', async () => {
  const shop = await openShop(checkingAccounts);
  await shop.createOrder(personalOrder);
  await shop.createOrder({
    ...personalOrder,
    user: { ...meera, email: 'other.meera.nair@example.org' },
  });
  shop.service.advanceSeconds(daySeconds);
  assert.equal((await erase(shop, ['--email', meera.email])).orders, 2);
  await assertErased(shop.service.database);
});

test('a consumer who returns is not linked to erased orders', async () => {
  const shop = await openShop(checkingAccounts);
  const order = await shop.createOrder(personalOrder);
  const idBefore = (await getOrder(shop, order.order_id)).body.user.user_id;
  await shop.sendPartner(deliveriesOf(order).partner);
  await erase(shop, ['--email', meera.email]);
  const idAfter = (await getOrder(shop, order.order_id)).body.user.user_id;
  const next = await shop.createOrder(personalOrder);
  assert.equal((await getOrder(shop, next.order_id)).body.user.user_id, idBefore);
  assert.notEqual(idAfter, idBefore);
  const modes = await shop.service.call('/api/v3/payment-modes', {
    token: await shop.freshToken(),
    body: { order_id: next.order_id },
  });
  assert.deepEqual(modes.body.fast_payment_modes.items, []);
});

test('rows of other consumers and other accounts stay unchanged', async () => {
  const shop = await openShop(checkingAccounts);
  const stranger = shopOf(shop.service, await shop.service.createAccount(checkingAccounts));
  for (const one of [shop, stranger]) {
    const order = await one.createOrder(personalOrder);
    await one.sendPartner(deliveriesOf(order).partner);
    await one.sendPartner(
      partnerEvent('payment_link.paid', { payment: paymentOf({ order_id: 'x' }) }),
    );
  }
  const user = {
    email: 'xmeera.nair@example.org',
    first_name: 'Meera',
    last_name: 'Nair',
    mobile_number: '19812345670',
  };
  const other = await shop.createOrder({ user, description: 'For Mr Nair' });
  const payment = partnerPayment({
    notes: { svc_order_id: other.order_id },
    email: user.email,
    contact: '+9119812345670',
    method: 'upi',
    upi: { vpa: 'xmeera.nair@okbank' },
  });
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  const ofOthers = async () => {
    const rows: unknown[] = [];
    for (const table of ['orders', 'transactions', 'deliveries', 'history', 'audit']) {
      const byOrder = table === 'audit' ? '' : 'or order_id = $2';
      const found = await shop.service.database.query({
        text: `select to_jsonb(t) from ${table} t where account_id = $1 ${byOrder} order by 1`,
        values: [stranger.account.accountId, ...(byOrder ? [other.order_id] : [])],
      });
      rows.push([table, found.rows]);
    }
    return rows;
  };
  const before = await ofOthers();
  const erased = await erase(shop, ['--email', meera.email, '--mobile', '9812345670']);
  assert.deepEqual([erased.orders, erased.deliveries], [1, 2]);
  assert.deepEqual(await ofOthers(), before);
});

test('an order of another consumer that mentions this one keeps its own consumer', async () => {
  const shop = await openShop(checkingAccounts);
  const user = { email: 'son@example.org', first_name: 'Arun', mobile_number: '9000000001' };
  const order = await shop.createOrder({ user, description: `Paid by ${meera.email}` });
  await shop.sendPartner(deliveriesOf(order).partner);
  const plain = await shop.createOrder({ user });
  await shop.sendPartner(deliveriesOf(plain).partner);
  const { orders, mentioned_orders } = await erase(shop, ['--email', meera.email]);
  assert.deepEqual([orders, mentioned_orders], [2, 2]);
  assert.deepEqual(await findSpellings(shop.service.database, ['meera.nair', '9812345670']), []);
  const { body } = await getOrder(shop, order.order_id);
  assert.deepEqual([body.user.email, body.user.mobile_number], [user.email, 9000000001]);
  await assertSound(shop);
});

test('erasing again changes nothing, and each run adds one audit row without personal data', async () => {
  const shop = await openShop(checkingAccounts);
  await createPaidOrders(shop);
  await erase(shop, ['--email', meera.email]);
  const tables = async () => {
    const { rows } = await shop.service.database.query({
      text: `select to_jsonb(o) from orders o union all select to_jsonb(t) from transactions t
             union all select to_jsonb(d) from deliveries d union all select to_jsonb(h) from history h`,
    });
    return rows;
  };
  const before = await tables();
  const again = await erase(shop, ['--email', meera.email]);
  assert.deepEqual(
    [again.orders, again.transactions, again.deliveries, again.history_rows],
    [0, 0, 0, 0],
  );
  assert.ok(isDeepStrictEqual(await tables(), before));
  const { rows } = await shop.service.database.query<Fields>({
    text: `select actor, object, note, details from audit where action = 'consumer.erased'`,
  });
  assert.equal(rows.length, 2);
  assert.deepEqual(
    [rows[0]?.actor, rows[0]?.note, rows[1]?.object],
    ['cli', null, rows[0]?.object],
  );
  assert.match(String(rows[0]?.object), /^consumer_[0-9a-f]{32}$/);
});

test('a pruned body does not prevent the erasure of its order', async () => {
  const shop = await openShop(checkingAccounts);
  await createPaidOrders(shop);
  shop.service.advanceSeconds(91 * daySeconds);
  await sweep(shop.service.services);
  await erase(shop, ['--email', meera.email]);
  await assertErased(shop.service.database);
  await assertSound(shop);
});

test('an invalid consumer and an unknown account are refused, and nothing changes', async () => {
  const shop = await openShop(checkingAccounts);
  const wrong: [string[], RegExp][] = [
    [[], /^Name the consumer with --email or --mobile/],
    [['--email', 'meera'], /^--email must be an e-mail address/],
    [['--mobile', '98-abc'], /^--mobile must be a phone number/],
  ];
  for (const [words, message] of wrong) {
    const outcome = await runCommandHere(
      ['consumer', 'erase', shop.account.accountId, ...words],
      envOf(shop),
    );
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, message);
  }
  const stranger = await runCommandHere(
    ['consumer', 'erase', 'acc_0', '--email', 'a@b.c'],
    envOf(shop),
  );
  assert.match(stranger.stderr, /^There is no account acc_0\./);
});

/** Orders for each way of paying, with refunds, changes, failures and a note. */
async function createPaidOrders(shop: Shop): Promise<{ order_id: string }[]> {
  const [partner, json, form, failed] = [
    await shop.createOrder(personalOrder),
    await shop.createOrder(personalOrder),
    await shop.createOrder(personalOrder),
    await shop.createOrder({ ...personalOrder, description: undefined }),
  ];
  const token = await shop.freshToken();
  const update = {
    order_id: partner.order_id,
    user: { ...meera, last_name: 'Nairkutty Pillai' },
    description: `Poll ${meera.email}`,
    shipping_address: { ...personalOrder.shipping_address, landmark: 'Padmatheertham east' },
  };
  assert.equal(
    (await shop.service.call('/api/v3/update-order', { token, body: update })).status,
    200,
  );
  const resolve = { order_id: json.order_id, mobile_number: '9812345670', last_name: 'Nairkutty' };
  assert.equal(
    (await shop.service.call('/api/v3/resolve-user', { token, body: resolve })).status,
    200,
  );

  const payment = paymentOf(partner);
  const refund = partnerRefund(payment, { amount: 1800, notes: { for: meera.email } });
  const error_description = `The account of ${upiId} (+919812345670) is blocked`;
  await shop.sendPartner(
    partnerEvent('payment.failed', {
      payment: { ...payment, status: 'failed', error_description },
    }),
  );
  await shop.sendPartner(partnerEvent('payment.captured', { payment }));
  await shop.sendPartner(partnerEvent('refund.processed', { payment, refund }));
  await shop.sendPartner(
    partnerEvent('payment.failed', {
      payment: paymentOf(failed, { status: 'failed', captured: false, error_description }),
    }),
  );
  for (const [order, send] of [
    [json, (body: Fields) => shop.sendGateway(body)],
    [form, (body: Fields) => shop.sendGateway(toFormData(body))],
  ] as const) {
    const body = deliveriesOf(order).json;
    const { transaction, ...rest } = body as { transaction: Fields };
    await send(body);
    await send({ ...rest, transaction: { ...transaction, id: '2', type: 'REFUND', amount: 18 } });
  }
  await shop.sendPartner(
    partnerEvent('payment.captured', { payment: paymentOf(form, { amount: 5 }) }),
  );
  const { review } = JSON.parse(
    (await runCommandHere(['review', 'list', '--json'], envOf(shop))).stdout,
  );
  const note = `Spoke to ${meera.email} on +91 98123 45670`;
  const first = review.find(({ kind }: Fields) => kind === 'flag');
  const closed = await runCommandHere(['review', 'resolve', first.id, '--note', note], envOf(shop));
  assert.equal(closed.code, 0, closed.stderr);
  shop.service.advanceSeconds(daySeconds);
  await sweep(shop.service.services);
  return [partner, json, form, failed];
}

/** Deliveries that belong to no order: ignored, parked, dead. */
async function sendStrays(shop: Shop): Promise<void> {
  const strays = [
    partnerEvent('payment_link.paid', { payment: paymentOf({ order_id: 'o_unknown1' }) }),
    partnerEvent('payment.captured', {
      payment: paymentOf({ order_id: 'o_unknown2' }, { email: null, contact: 919812345670 }),
    }),
    partnerEvent('payment.captured', {
      payment: paymentOf(
        { order_id: 'o_unknown3' },
        { notes: { tell: meera.email.toUpperCase() } },
      ),
    }),
  ];
  for (const body of strays) {
    const escaped = JSON.stringify(body).replace('Meera.Nair@', '\\u004deera.Nair\\u0040');
    assert.equal((await shop.sendPartner(escaped)).status, 200);
  }
  const parked = await shop.sendGateway(deliveriesOf({ order_id: 'o_unknown4' }).form);
  assert.equal(parked.body.status, 'parked');
  await shop.service.database.query({
    text: `update deliveries set state = 'dead', next_try_at = null, finished_at = $2
            where delivery_id = $1`,
    values: [parked.body.delivery_id, shop.service.services.clock()],
  });
}

function paymentOf({ order_id }: { order_id: string }, changes: Fields = {}): Fields {
  return partnerPayment({
    method: 'upi',
    card: { name: holder, last4: '1111', network: 'Visa', type: 'credit' },
    email: meera.email,
    contact: '+919812345670',
    vpa: upiId,
    upi: { vpa: upiId, flow: 'collect' },
    notes: { svc_order_id: order_id, customer: 'Meerabai', phone: 9812345670 },
    description: 'Order of Meerabai Nairkutty',
    customer_details: { name: holder, address: '17 Lotusbagh' },
    ...changes,
  });
}

/** The same payment at each provider and in each format. */
function deliveriesOf(order: { order_id: string }) {
  const json = gatewayBody({
    order: { id: order.order_id },
    response: { acquirerMessage: `Approved for ${meera.email}` },
    sourceOfFunds: {
      provided: {
        card: { ...{ number: '411111xxxxxx1111', scheme: 'VISA' }, nameOnCard: holder },
      },
    },
    customer: { email: meera.email, mobilePhone: '+91 98123 45670', firstName: 'Meerabai' },
    billing: { address: { street: 'Kizhakkekotta Street', postcodeZip: '695023-TVM' } },
    device: { ipAddress: '198.51.100.77' },
  });
  return {
    partner: partnerEvent('payment.captured', { payment: paymentOf(order) }),
    json,
    form: toFormData(json),
  };
}

async function getOrder(shop: Shop, orderId: string) {
  return shop.service.call(`/api/v3/order?order_id=${orderId}`, { token: await shop.freshToken() });
}

function spellingOf(found: string): string {
  return found.slice(found.indexOf(': ') + 2);
}

function envOf({ service }: { service: TestService }) {
  return { DATABASE_URL: service.url, MASTER_KEY: testMasterKeyHex };
}

async function assertSound({ service }: { service: TestService }): Promise<void> {
  assert.deepEqual((await verifyInvariants(service.services)).breaches, []);
}

function erase(shop: Shop, words: string[]) {
  return eraseIn(shop.service, shop.account.accountId, words);
}
