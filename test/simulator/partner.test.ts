import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caller, eventsOf, isSigned, type Json, keyId, onlyPayment, startShop } from './support.ts';

const transactionId = 'o_1-260101000000';

test('a payment is reported as authorized, captured and order paid, each signed over its bytes', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t);
  await simulator.pay(await openOrder(transactionId, { notes: { url: 'https://é.example/' } }));
  await simulator.settled();

  const { received } = receiver;
  assert.deepEqual(eventsOf(received), ['payment.authorized', 'payment.captured', 'order.paid']);
  assert.ok(received.every((request) => isSigned(request)));
  assert.ok(received.every(({ body }) => body.includes('https:\\/\\/é.example\\/')));
  const headers = received[0]?.headers ?? {};
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers['user-agent'], 'Razorpay-Webhook/v1');
  assert.match(`${headers['x-razorpay-event-id']}`, /^[0-9A-Za-z]{14}$/);
  const ids = received.map((request) => request.headers['x-razorpay-event-id']);
  assert.equal(new Set(ids).size, 3);
});

test('an order has the same fields as the real one and is found by its receipt', async (t) => {
  const { partner } = await startShop(t);
  const made = await partner('POST', '/v1/orders', { amount: 5, currency: 'JPY', receipt: 'r1' });
  const { id, created_at: createdAt } = made.body;
  assert.match(`${id}`, /^order_[0-9A-Za-z]{14}$/);
  assert.ok(Number.isInteger(createdAt));
  const order = {
    id,
    entity: 'order',
    amount: 5,
    amount_paid: 0,
    amount_due: 5,
    currency: 'JPY',
    receipt: 'r1',
    offer_id: null,
    status: 'created',
    attempts: 0,
    notes: [],
    created_at: createdAt,
  };
  assert.deepEqual(made, { status: 200, body: order });
  assert.deepEqual((await partner('GET', `/v1/orders/${id}`)).body, order);
  const list = await partner('GET', '/v1/orders?receipt=r1&count=100');
  assert.deepEqual(list.body, { entity: 'collection', count: 1, items: [order] });
  assert.equal((await partner('GET', '/v1/orders?receipt=r2')).body.count, 0);
});

test('a paid order has the status paid, and the API shows the payment as the webhook did', async (t) => {
  const { simulator, receiver, partner, openOrder } = await startShop(t);
  const orderId = await openOrder();
  await simulator.pay(orderId);
  await simulator.settled();

  const { id, reference, status } = onlyPayment(simulator);
  assert.deepEqual({ reference, status }, { reference: transactionId, status: 'captured' });
  const order = (await partner('GET', `/v1/orders/${orderId}`)).body;
  assert.deepEqual([order.status, order.amount_paid, order.attempts], ['paid', 1050, 1]);
  const payment = (await partner('GET', `/v1/payments/${id}`)).body;
  const captured = JSON.parse(receiver.received[1]?.body ?? '');
  assert.deepEqual(captured.payload.payment.entity, payment);
  assert.deepEqual([payment.method, payment.status, payment.fee], ['upi', 'captured', 25]);
  assert.deepEqual(payment.notes, { svc_transaction_id: transactionId });
  const tries = await partner('GET', `/v1/orders/${orderId}/payments`);
  assert.deepEqual(tries.body, { entity: 'collection', count: 1, items: [payment] });
});

test('an order is paid once, however often the consumer presses the button', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const orderId = await openOrder();
  await Promise.all(Array.from({ length: 10 }, () => simulator.pay(orderId)));
  assert.equal(simulator.ledger().payments.length, 1);
});

test('a refund is pending at first, processed soon, and both are reported', async (t) => {
  const { simulator, receiver, partner, openOrder, refundAtPartner } = await startShop(t);
  await simulator.pay(await openOrder());
  await simulator.settled();
  receiver.received.length = 0;
  const { id } = onlyPayment(simulator);
  const requested = {
    amount: 50,
    receipt: 'rq-1',
    notes: { svc_transaction_id: 'o_1-260101000001' },
  };
  const refund = (await refundAtPartner(id, requested)).body;
  assert.match(`${refund.id}`, /^rfnd_[0-9A-Za-z]{14}$/);
  assert.deepEqual([refund.status, refund.amount, refund.receipt], ['pending', 50, 'rq-1']);
  await simulator.settled();

  assert.deepEqual(eventsOf(receiver.received), ['refund.created', 'refund.processed']);
  const { payload } = JSON.parse(receiver.received[1]?.body ?? '');
  const processed = (await partner('GET', `/v1/refunds/${refund.id}`)).body;
  assert.deepEqual(payload.refund.entity, processed);
  assert.deepEqual(payload.payment.entity.refund_status, 'partial');
  assert.match(`${(processed.acquirer_data as Json).arn}`, /^\d{23}$/);
  const refunds = await partner('GET', `/v1/payments/${id}/refunds`);
  assert.deepEqual(refunds.body, { entity: 'collection', count: 1, items: [processed] });
  assert.deepEqual(simulator.ledger().refunds, [
    {
      provider: 'partner',
      id: refund.id,
      paymentId: id,
      reference: 'o_1-260101000001',
      amount: 50,
      currency: 'INR',
      status: 'processed',
    },
  ]);
});

test('the same idempotency key gives the same refund, and is refused with another request', async (t) => {
  const { simulator, openOrder, refundAtPartner } = await startShop(t);
  await simulator.pay(await openOrder());
  const { id } = onlyPayment(simulator);
  const key = 'o_1-260101000001';
  const [first, ...repeats] = await Promise.all(
    Array.from({ length: 5 }, () => refundAtPartner(id, { amount: 50 }, key)),
  );
  for (const repeat of repeats) assert.equal(repeat.body.id, first?.body.id);
  assert.equal((await refundAtPartner(id, { amount: 60 }, key)).status, 400);
  assert.equal((await refundAtPartner(id, { amount: 60 }, 'short')).status, 400);
  assert.equal(simulator.ledger().refunds.length, 1);
  // Without a key each call is a separate refund.
  await refundAtPartner(id, { amount: 50 });
  assert.equal(simulator.ledger().refunds.length, 2);
});

test('no more is refunded than was paid, and without an amount the rest is refunded', async (t) => {
  const { simulator, partner, openOrder, refundAtPartner } = await startShop(t);
  await simulator.pay(await openOrder());
  const { id } = onlyPayment(simulator);
  await refundAtPartner(id, { amount: 50 });
  const refused = await refundAtPartner(id, { amount: 1001 });
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.error, {
    code: 'BAD_REQUEST_ERROR',
    description: 'The total refund amount is greater than the refund payment amount',
    source: 'business',
    step: 'payment_initiation',
    reason: 'input_validation_failed',
    metadata: {},
  });
  assert.equal((await refundAtPartner(id, {})).body.amount, 1000);
  assert.equal((await refundAtPartner(id, {})).status, 400);
  const payment = (await partner('GET', `/v1/payments/${id}`)).body;
  assert.deepEqual([payment.status, payment.refund_status], ['refunded', 'full']);
});

test('wrong credentials and another shop see nothing', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const orderId = await openOrder();
  const stranger = caller(simulator.url, `${keyId}:wrong`);
  const error = { code: 'BAD_REQUEST_ERROR', description: 'Authentication failed' };
  assert.deepEqual(await stranger('GET', `/v1/orders/${orderId}`), {
    status: 401,
    body: { error },
  });
  const other = { keyId: 'other', keySecret: 's', webhookUrl: 'http://x', webhookSecret: 'w' };
  simulator.register({ partner: other });
  const neighbour = caller(simulator.url, 'other:s');
  assert.equal((await neighbour('GET', `/v1/orders/${orderId}`)).status, 400);
  assert.equal((await neighbour('GET', '/v1/orders')).body.count, 0);
});

test('a shop that is not registered is looked up by its key id', async (t) => {
  const requested: string[] = [];
  const found = { keyId: 'found', keySecret: 's', webhookUrl: 'http://x', webhookSecret: 'w' };
  const { simulator } = await startShop(t, {
    findShop: async (name) => {
      requested.push(name);
      return name === 'found' ? { partner: found } : undefined;
    },
  });
  assert.equal((await caller(simulator.url, 'found:s')('GET', '/v1/orders')).status, 200);
  assert.equal((await caller(simulator.url, 'lost:s')('GET', '/v1/orders')).status, 401);
  assert.deepEqual(requested, ['found', 'lost']);
});

test('a bad amount, currency or receipt is refused', async (t) => {
  const { partner, lines } = await startShop(t);
  const good = { amount: 100, currency: 'INR' };
  for (const bad of [
    { amount: 1.5 },
    { amount: 0 },
    { amount: '100' },
    { currency: 'rupee' },
    { receipt: 'r'.repeat(41) },
  ]) {
    const { status, body } = await partner('POST', '/v1/orders', { ...good, ...bad });
    assert.equal(status, 400, JSON.stringify(bad));
    assert.equal((body.error as Json).reason, 'input_validation_failed');
    assert.match(lines.at(-1) ?? '', /refused: POST .v1.orders → 400 /);
  }
});

for (const [method, reference] of [
  ['card', 'arn'],
  ['upi', 'rrn'],
  ['netbanking', 'bank_transaction_id'],
  ['wallet', 'transaction_id'],
] as const) {
  test(`a payment by ${method} has its ${reference}`, async (t) => {
    const { simulator, partner, openOrder } = await startShop(t);
    await simulator.pay(await openOrder(transactionId, { notes: { method } }));
    const payment = (await partner('GET', `/v1/payments/${onlyPayment(simulator).id}`)).body;
    assert.equal(payment.method, method);
    assert.match(`${(payment.acquirer_data as Json)[reference]}`, /^\d+$/);
    assert.equal(payment.card !== undefined, method === 'card');
  });
}

test('a call can be interrupted after it took effect and before it is answered', async (t) => {
  const calls: unknown[] = [];
  const { simulator, openOrder, refundAtPartner, partner } = await startShop(t, {
    beforeAnswer: async (call) => void calls.push(call),
  });
  const orderId = await openOrder();
  await simulator.pay(orderId);
  const paymentId = onlyPayment(simulator).id;
  const refund = (await refundAtPartner(paymentId, {})).body;
  await partner('GET', `/v1/payments/${paymentId}`);
  assert.deepEqual(calls, [
    { provider: 'partner', operation: 'start-payment', id: orderId },
    { provider: 'partner', operation: 'start-refund', id: refund.id },
    { provider: 'partner', operation: 'fetch', id: paymentId },
  ]);
});
