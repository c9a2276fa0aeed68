/** UPI payments without a UPI id, and with an intent that opens the consumer's UPI app. Contract 11.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '../../../simulator/simulator.ts';
import { listRecentHistory } from '../../../src/store/orders/history.ts';
import { findCheckout, type JourneyShop, startJourney } from '../../support/journey.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';

let beforeAnswer: (call: Call) => Promise<void> = async () => undefined;
const { service, simulator, shop, openShop, createOrder, initiate, enquire, heal, assertSound } =
  await startJourney({ beforeAnswer: (call) => beforeAnswer(call) });
const intentShop = await openShop({ providerSettings: { partner: { 'upi-intent': 'on' } } });
const upi = { payment_mode_code: 'upi' };

for (const upi_id of [undefined, null, '']) {
  test(`a payment by UPI needs no UPI id: ${JSON.stringify(upi_id)}`, async () => {
    const orderId = await createOrder();
    const { status, body } = await initiate(orderId, 'upi', { upi_id });
    assert.equal(status, 200, JSON.stringify(body));
    const { accountId } = shop;
    const url = `${service.baseUrl}/pay/${accountId}/${body.transaction_id}`;
    assert.deepEqual(body.next, [{ action: 'redirect', url }]);
    const { transaction } = (await enquire({ order_id: orderId })).body;
    assert.deepEqual([transaction[0].payment_mode, transaction[0].sub_payment_mode], ['UPI', null]);
  });
}

test('the reply has the intent before the page, and the consumer pays with either', async () => {
  for (const way of ['intent', 'page']) {
    const { order_id, body } = await start();
    const page = `${service.baseUrl}/pay/${intentShop.accountId}/${body.transaction_id}`;
    const { transaction_id, next, ...others } = body;
    const intent = next[0]?.url ?? '';
    assert.deepEqual(others, {
      order_id,
      payment_status: 'pending',
      message: 'Send the consumer to the payment page, or open their UPI app.',
    });
    assert.deepEqual(next, [
      { action: 'upi_intent', url: intent },
      { action: 'redirect', url: page },
    ]);
    assert.match(intent, new RegExp(`^${simulator.url}/upi/pay_\\w{14}$`));

    const checkout = way === 'page' ? await findCheckout(page) : (intent.split('/').at(-1) ?? '');
    await simulator.pay(checkout);
    await simulator.settled();
    const seen = await call('transaction-enquiry', { order_id });
    assert.equal(seen.body.order.status, 'completed');
    assert.deepEqual(
      seen.body.transaction.map((entry: Record<string, unknown>) => [
        entry.svc_transaction_id,
        entry.payment_status,
      ]),
      [[transaction_id, 'succeeded']],
    );
  }
});

test('an enquiry shows neither the intent nor the page', async () => {
  const { order_id } = await start();
  const { body } = await call('transaction-enquiry', { order_id });
  assert.doesNotMatch(JSON.stringify(body), /\/upi\/|\/pay\//);
});

test('an order without a contact is paid on the page', async () => {
  for (const user of [
    { first_name: 'Asha', mobile_number: 9876543210 },
    { first_name: 'Asha', email: 'asha@example.com' },
  ]) {
    const optional = await openShop({
      optionalOrderDetails: true,
      providerSettings: { partner: { 'upi-intent': 'on' } },
    });
    const { body } = await start({ user }, optional);
    assert.deepEqual(actionsOf(body), ['redirect']);
  }
});

const late = Promise.withResolvers<void>();
for (const [title, answer] of [
  ['is lost', () => Promise.reject(new Error('The answer is lost.'))],
  ['comes too late', () => late.promise],
] as const) {
  test(`if the answer to the call for the intent ${title}, the payment is made on the page`, async () => {
    beforeAnswer = async ({ operation }) => {
      if (operation === 'start-intent') await answer();
    };
    const { order_id, body } = await start();
    beforeAnswer = async () => undefined;
    assert.deepEqual([body.payment_status, actionsOf(body)], ['pending', ['redirect']]);
    const history = await listRecentHistory(
      service.database,
      { accountId: intentShop.accountId, orderId: order_id },
      1_000,
    );
    assert.deepEqual(
      history.flatMap((entry) => (entry.call ? [[entry.cause, entry.call.outcome]] : [])),
      [
        ['start-payment', 'done'],
        ['start-intent', 'unknown'],
      ],
    );
    await simulator.pay(await findCheckout(body.next[0]?.url ?? ''));
    await simulator.settled();
    const seen = await call('transaction-enquiry', { order_id });
    assert.equal(seen.body.order.status, 'completed');
  });
}

test('a late answer changes nothing any more', async () => {
  const before = await dumpTables(service.database);
  late.resolve();
  await simulator.settled();
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a repeat gets the intent again, even if the first reply was not stored', async () => {
  const { body: order } = await call('create-order', orderBody());
  const body = { order_id: order.order_id, ...upi };
  const headers = { 'idempotency-key': 'intent' };
  const send = async () => (await call('initiate-payment', body, intentShop, headers)).body;
  const first = await send();
  assert.deepEqual(actionsOf(first), ['upi_intent', 'redirect']);
  assert.deepEqual(await send(), first);
  await service.database.query({ text: 'update idempotency_keys set answer = null' });
  service.advanceSeconds(8);
  assert.deepEqual(await send(), first);
});

test('an intent that nobody opens fails when the order lapses, and still counts if it is paid later', async () => {
  const { order_id, body } = await start();
  service.advanceSeconds(24 * 3600);
  await heal();
  const { body: lapsed } = await call('transaction-enquiry', { order_id });
  assert.deepEqual(
    [lapsed.order.status, lapsed.transaction[0].payment_status],
    ['lapsed', 'failed'],
  );
  await simulator.pay(body.next[0]?.url.split('/').at(-1) ?? '');
  await simulator.settled();
  const { body: paid } = await call('transaction-enquiry', { order_id });
  assert.equal(paid.transaction[0].payment_status, 'succeeded');
});

test('the contact that the partner gets is in no log line, no call record and no stored start', async () => {
  const { order_id } = await start({
    user: { email: 'secret.person@example.com', first_name: 'Asha', mobile_number: 9123456780 },
  });
  const personal = /secret\.person|9123456780/;
  assert.doesNotMatch(service.logText(), personal);
  const history = await listRecentHistory(
    service.database,
    { accountId: intentShop.accountId, orderId: order_id },
    1_000,
  );
  assert.doesNotMatch(JSON.stringify(history), personal);
  const { transactions } = await dumpTables(service.database);
  assert.match(JSON.stringify(transactions), /\/upi\/pay_/);
  assert.doesNotMatch(JSON.stringify(transactions), personal);
});

test('the invariants hold after all of this', assertSound);

/** Creates an order and starts a payment by UPI without a UPI id. */
async function start(fields: Record<string, unknown> = {}, account: JourneyShop = intentShop) {
  const { body: order } = await call('create-order', orderBody(fields), account);
  const { order_id } = order;
  const { status, body } = await call('initiate-payment', { order_id, ...upi }, account);
  assert.equal(status, 200, JSON.stringify(body));
  return { order_id, body };
}

/** With a new token: an earlier one may have expired when the clock was moved. */
async function call(
  path: string,
  body: object,
  account: JourneyShop = intentShop,
  headers: Record<string, string> = {},
) {
  const { token } = await issueMerchantToken(service.services, account.accountId);
  return service.call(`/api/v3/${path}`, { token, body, headers });
}

function actionsOf({ next }: { readonly next: readonly { readonly action: string }[] }): string[] {
  return next.map(({ action }) => action);
}
