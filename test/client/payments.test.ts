import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, ServiceCallError } from '../../client/client.js';
import { findCheckout, startJourney } from '../support/journey.ts';
import { orderBody } from '../support/order-bodies.ts';

const { service, simulator, openShop, assertSound } = await startJourney();
const shop = await openShop({ encryptedPayloads: true });
type NewOrder = Parameters<ReturnType<typeof createClient>['createOrder']>[0];

for (const encrypted of [false, true]) {
  test(`an order is paid and refunded through the client, ${encrypted ? 'sealed' : 'plain'}`, async () => {
    const client = clientOf(fetch, encrypted);
    const { order_id } = await client.createOrder(newOrder());
    const modes = await client.paymentModes({ order_id });
    const codes = [...modes.fast_payment_modes.items, ...modes.other_payment_modes.items].map(
      ({ payment_mode_code }) => payment_mode_code,
    );
    assert.ok(codes.includes('upi'));
    const banks = await client.listOfBanks({ order_id });
    assert.ok(banks.items.some(({ bank_code }) => bank_code === 'HDFC'));
    const wallets = await client.listOfWallets({ order_id });
    const byAmount = { total_amount: '118.00', currency: 'INR' };
    assert.deepEqual(await client.listOfWallets(byAmount), wallets);
    assert.ok(wallets.items.some(({ wallet_code }) => wallet_code === 'mobikwik'));
    const payment_mode_code = 'upi';
    const started = await client.initiatePayment({
      order_id,
      payment_mode_code,
      upi_id: 'asha@okbank',
    });
    assert.equal(started.payment_status, 'pending');
    await simulator.pay(await findCheckout(started.next[0]?.url ?? ''));
    await simulator.settled();
    const { transaction_id } = started;
    const refund_request_id = `client-${encrypted}`;
    const made = await client.refund({ transaction_id, refund_amount: 18, refund_request_id });
    assert.equal(made.original_payment_transaction_id, transaction_id);
    assert.equal(made.refund_request_id, refund_request_id);
    await simulator.settled();
    const { order, transaction } = await client.transactionEnquiry({ order_id });
    assert.equal(order.refund_details?.refunded_amount, 18);
    for (const entry of transaction) {
      assert.equal(await client.verifySignature(entry, order.invoice_id), 'valid');
    }
    const again = await client.refund({ transaction_id, refund_amount: 18, refund_request_id });
    assert.equal(again.transaction_id, made.transaction_id);
    await assert.rejects(
      client.refund({ transaction_id, refund_amount: 19, refund_request_id }),
      (error) => error instanceof ServiceCallError && error.code === 'DUPLICATE_REFUND_REQUEST',
    );
  });
}

for (const encrypted of [false, true]) {
  test(`an amount that got lost refunds nothing, an undefined one everything, ${encrypted ? 'sealed' : 'plain'}`, async () => {
    const { order_id, transaction_id } = await paidOrder();
    const client = clientOf(fetch, encrypted);
    for (const lost of [null, '', Number.NaN]) {
      await assert.rejects(
        client.refund({ transaction_id, refund_amount: lost as number }),
        (error) =>
          error instanceof ServiceCallError &&
          error.code === 'INVALID_REQUEST_PARAMETER' &&
          error.merchantMessage.startsWith('refund_amount must'),
      );
    }
    const before = await client.transactionEnquiry({ order_id });
    assert.equal(before.transaction.length, 1);
    const made = await client.refund({ transaction_id, refund_amount: undefined });
    assert.equal(made.transaction_type, 'full_refund');
  });
}

/** Each failure happens to the first call only. */
const failures: [name: string, answer: (sent: () => Promise<Response>) => Promise<Response>][] = [
  [
    'answered 503',
    async () => new Response('{}', { status: 503, headers: { 'retry-after': '0' } }),
  ],
  [
    'answered 429',
    async () => new Response('{}', { status: 429, headers: { 'retry-after': '0' } }),
  ],
  ['never sent', async () => Promise.reject(new TypeError('fetch failed'))],
  [
    'sent and its answer lost',
    async (send) => {
      await send();
      throw new TypeError('fetch failed');
    },
  ],
];
for (const [name, answer] of failures) {
  test(`a payment or refund that is ${name} is sent again with its idempotency key, and made once`, async () => {
    const { order_id, transaction_id } = await paidOrder();
    const { client, sent } = failingClient(answer);
    const { order_id: unpaid } = await client.createOrder(newOrder());
    const payment_mode_code = 'credit_card';
    const started = await client.initiatePayment({ order_id: unpaid, payment_mode_code });
    assert.equal(started.next.length, 1);
    const made = await client.refund({ transaction_id, refund_amount: 1 });
    await simulator.settled();
    const [payment, paymentAgain, refund, refundAgain] = sent;
    assert.equal(sent.length, 4);
    assert.match(payment ?? '', /^\/api\/v3\/initiate-payment [0-9a-f-]{36}$/);
    assert.match(refund ?? '', /^\/api\/v3\/refund [0-9a-f-]{36}$/);
    assert.deepEqual([paymentAgain, refundAgain], [payment, refund]);

    assert.deepEqual(await idsOf(client, unpaid), [started.transaction_id]);
    assert.deepEqual(await idsOf(client, order_id), [transaction_id, made.transaction_id]);
  });
}

test('a payment or refund that is answered 500 throws its key, with which a repeat is safe', async () => {
  const { order_id: paid, transaction_id } = await paidOrder();
  const { client, sent } = failingClient(async (send) => {
    await send();
    return new Response('{}', { status: 500 });
  });
  const { order_id } = await client.createOrder(newOrder());
  const payment = { order_id, payment_mode_code: 'credit_card' } as const;
  const refund = { transaction_id, refund_amount: 1 };
  const paymentKey = await keyOfError(client.initiatePayment(payment));
  const refundKey = await keyOfError(client.refund(refund));
  assert.equal(sent.length, 2, 'neither is sent again by the client itself');
  const started = await client.initiatePayment(payment, { idempotencyKey: paymentKey });
  const made = await client.refund(refund, { idempotencyKey: refundKey });
  await simulator.settled();
  assert.deepEqual(await idsOf(client, order_id), [started.transaction_id]);
  assert.deepEqual(await idsOf(client, paid), [transaction_id, made.transaction_id]);
});

test('with an idempotency key a repeated call is safe; without one each call is a new payment', async () => {
  const client = clientOf();
  const { transaction_id } = await paidOrder();
  const { order_id } = await client.createOrder(newOrder());
  const payment = { order_id, payment_mode_code: 'card' } as const;
  const refund = { transaction_id, refund_amount: 1 };
  const options = { idempotencyKey: 'key of the shop' };
  const started = await client.initiatePayment(payment, options);
  assert.deepEqual(await client.initiatePayment(payment, options), started);
  const made = await client.refund(refund, options);
  assert.deepEqual(await client.refund(refund, options), made);
  assert.notEqual((await client.initiatePayment(payment)).transaction_id, started.transaction_id);
  assert.notEqual((await client.refund(refund)).transaction_id, made.transaction_id);
  await assert.rejects(client.refund({ ...refund, refund_amount: 2 }, options), {
    code: 'IDEMPOTENCY_KEY_REUSED',
  });
});

test('keys in any script are different keys, and what is no key is refused before anything is sent', async () => {
  const client = clientOf();
  const { transaction_id } = await paidOrder();
  const refund = { transaction_id, refund_amount: 1 };
  const made: string[] = [];
  for (const idempotencyKey of ['RMA-é', 'RMA-è', 'चालान-7', 'चालान-8', '💳']) {
    const { transaction_id: id } = await client.refund(refund, { idempotencyKey });
    assert.equal((await client.refund(refund, { idempotencyKey })).transaction_id, id);
    made.push(id);
  }
  assert.equal(new Set(made).size, 5);

  const { client: counted, sent } = failingClient((send) => send());
  for (const idempotencyKey of [null, 7, '', ' ', 'x'.repeat(256), 'a\nb', '\ud83d']) {
    const options = { idempotencyKey } as { idempotencyKey: string };
    await assert.rejects(counted.refund(refund, options), { name: 'TypeError' });
  }
  assert.deepEqual(sent, []);
});

test('a call for the payment modes is retried', async () => {
  let calls = 0;
  const client = clientOf(async (url, init) => {
    if (!String(url).endsWith('/payment-modes')) return fetch(url, init);
    calls += 1;
    if (calls === 1) return new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
    return fetch(url, init);
  });
  const { order_id } = await client.createOrder(newOrder());
  assert.ok((await client.paymentModes({ order_id })).other_payment_modes.items.length > 0);
  assert.equal(calls, 2);
});

test('a payment or refund whose token is refused is sent again with a new token', async () => {
  const { transaction_id } = await paidOrder();
  const refused = new Set<string>();
  const client = clientOf(async (url, init) => {
    const path = new URL(String(url)).pathname;
    if (/initiate-payment|refund$/.test(path) && !refused.has(path)) {
      refused.add(path);
      return new Response('{"error":{"svc_error_code":"TOKEN_EXPIRED"}}', { status: 401 });
    }
    return fetch(url, init);
  });
  const { order_id } = await client.createOrder(newOrder());
  const payment_mode_code = 'credit_card';
  await client.initiatePayment({ order_id, payment_mode_code });
  await client.refund({ transaction_id, refund_amount: 1 });
  assert.equal(refused.size, 2);
});

test('the invariants hold after these tests', assertSound);

async function paidOrder() {
  const client = clientOf();
  const { order_id } = await client.createOrder(newOrder());
  const payment_mode_code = 'credit_card';
  const { transaction_id, next } = await client.initiatePayment({ order_id, payment_mode_code });
  await simulator.pay(await findCheckout(next[0]?.url ?? ''));
  await simulator.settled();
  return { order_id, transaction_id };
}

/** A client whose first payment call and first refund call fail as given, and the requests it sent with their keys. */
function failingClient(answer: (sent: () => Promise<Response>) => Promise<Response>) {
  const sent: string[] = [];
  const client = clientOf(async (url, init) => {
    const send = () => fetch(url, init);
    const path = new URL(String(url)).pathname;
    if (!/initiate-payment|refund$/.test(path)) return send();
    const isFirst = !sent.some((line) => line.startsWith(path));
    sent.push(`${path} ${new Headers(init?.headers).get('idempotency-key')}`);
    return isFirst ? answer(send) : send();
  });
  return { client, sent };
}

async function keyOfError(call: Promise<unknown>): Promise<string> {
  const error = await call.then(() => undefined).catch((thrown) => thrown);
  assert.ok(error instanceof ServiceCallError);
  assert.equal(error.status, 500);
  return error.idempotencyKey ?? '';
}

async function idsOf(client: ReturnType<typeof clientOf>, order_id: string): Promise<string[]> {
  const { transaction } = await client.transactionEnquiry({ order_id });
  return transaction.map(({ svc_transaction_id }) => svc_transaction_id);
}

function newOrder(): NewOrder {
  return orderBody() as NewOrder;
}

function clientOf(call: typeof fetch = fetch, encrypted = false) {
  const { accessKey, accessSecret } = shop;
  return createClient({
    baseUrl: service.baseUrl,
    accessKey,
    accessSecret,
    encrypted,
    fetch: call,
  });
}
