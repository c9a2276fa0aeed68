import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scenario } from '../../simulator/simulator.ts';
import { eventsOf, noticesOf, onlyPayment, startShop } from './support.ts';

const paidEvents = ['payment.authorized', 'payment.captured', 'order.paid'];
const paidNotices = ['AUTHENTICATION SUCCESS auth-1', 'PAYMENT SUCCESS 1'];
const failedNotices = ['AUTHENTICATION SUCCESS auth-1', 'PAYMENT FAILURE 1'];

/** A scenario, the number of tries of the consumer, and the webhooks of partner and gateway. */
const table: readonly (readonly [Scenario, number, readonly string[], readonly string[]])[] = [
  [{ name: 'happy' }, 1, paidEvents, paidNotices],
  [{ name: 'decline' }, 1, ['payment.failed'], failedNotices],
  [
    { name: 'decline', reason: 'authentication_failed' },
    1,
    ['payment.failed'],
    ['AUTHENTICATION FAILURE auth-1'],
  ],
  [
    { name: 'late-success' },
    1,
    ['payment.failed', ...paidEvents],
    [...failedNotices, 'PAYMENT SUCCESS 1'],
  ],
  [
    { name: 'second-attempt' },
    2,
    ['payment.failed', ...paidEvents],
    [...failedNotices, 'AUTHENTICATION SUCCESS auth-2', 'PAYMENT SUCCESS 2'],
  ],
  [{ name: 'swapped' }, 1, paidEvents.toReversed(), paidNotices.toReversed()],
  [{ name: 'lost-webhook' }, 1, [], []],
];

for (const [scenario, tries, events, notices] of table) {
  const { name, reason } = scenario;
  const title = reason ? `${name} because of ${reason}` : name;
  const isPaid = name !== 'decline';

  test(`${title}: the partner reports ${events.join(', ') || 'nothing'}`, async (t) => {
    const { simulator, receiver, openOrder } = await startShop(t, { scenario });
    const orderId = await openOrder();
    for (let index = 0; index < tries; index += 1) {
      await simulator.pay(orderId);
      await simulator.settled();
    }
    assert.deepEqual(eventsOf(receiver.received), events);
    const { payments } = simulator.ledger();
    assert.equal(payments.length, tries);
    assert.equal(payments.at(-1)?.status, isPaid ? 'captured' : 'failed');
  });

  test(`${title}: the gateway reports ${notices.join(', ') || 'nothing'}`, async (t) => {
    const { simulator, receiver, openSession } = await startShop(t, { scenario });
    const sessionId = await openSession();
    for (let index = 0; index < tries; index += 1) {
      await simulator.pay(sessionId);
      await simulator.settled();
    }
    assert.deepEqual(noticesOf(receiver.received), notices);
    const { payments } = simulator.ledger();
    assert.equal(payments.length, tries);
    assert.equal(payments.at(-1)?.status, isPaid ? 'captured' : 'failed');
  });
}

test('late-success reports the same payment both times', async (t) => {
  const { simulator, receiver, openOrder } = await startShop(t, {
    scenario: { name: 'late-success' },
  });
  await simulator.pay(await openOrder());
  assert.equal(onlyPayment(simulator).status, 'failed');
  await simulator.settled();
  assert.equal(onlyPayment(simulator).status, 'captured');
  const ids = receiver.received.map(({ body }) => JSON.parse(body).payload.payment.entity.id);
  assert.deepEqual(new Set(ids), new Set([onlyPayment(simulator).id]));
});

test('a late success does not happen if another try has paid before', async (t) => {
  const { simulator, openOrder } = await startShop(t);
  const orderId = await openOrder();
  simulator.setScenario({ name: 'late-success', delayMs: 50 });
  await simulator.pay(orderId);
  simulator.setScenario({ name: 'happy' });
  await simulator.pay(orderId);
  await simulator.settled();
  const statuses = simulator.ledger().payments.map(({ status }) => status);
  assert.deepEqual(statuses, ['failed', 'captured']);
});

test('swapped: an early refund is reported before its payment', async (t) => {
  const { simulator, receiver, openOrder, refundAtPartner } = await startShop(t, {
    scenario: { name: 'swapped', delayMs: 250 },
  });
  await simulator.pay(await openOrder());
  await refundAtPartner(onlyPayment(simulator).id, {});
  await simulator.settled();
  assert.deepEqual(eventsOf(receiver.received), [
    'refund.processed',
    'refund.created',
    ...paidEvents.toReversed(),
  ]);
});

test('provider-down: calls break or answer 503 without effect, and later calls succeed', async (t) => {
  const { simulator, openOrder, openSession, partner, gateway } = await startShop(t, {
    scenario: { name: 'provider-down' },
  });
  const order = { amount: 100, currency: 'INR', receipt: 'r1' };
  await assert.rejects(partner('POST', '/v1/orders', order));
  assert.equal((await partner('POST', '/v1/orders', order)).status, 503);
  assert.equal((await partner('GET', '/v1/orders?receipt=r1')).body.count, 0);
  assert.equal((await partner('POST', '/v1/orders', order)).status, 200);
  assert.equal((await partner('GET', '/v1/orders?receipt=r1')).body.count, 1);
  // Each reference fails separately.
  await assert.rejects(openOrder('another'));
  await assert.rejects(openSession());
  simulator.setScenario({ name: 'provider-down', times: 1 });
  const sessionId = await openSession();
  await simulator.pay(sessionId);
  const path = `/api/rest/version/100/merchant/TESTSHOP/order/o_1-260101000000`;
  assert.equal((await gateway('GET', path)).status, 200);
});

test('slow: the call takes effect immediately and is answered late', async (t) => {
  const effect = Promise.withResolvers<void>();
  const { simulator, partner, openOrder } = await startShop(t, {
    scenario: { name: 'slow', delayMs: 600_000 },
    beforeAnswer: async () => effect.resolve(),
  });
  let isAnswered = false;
  const answer = openOrder().then(() => {
    isAnswered = true;
  });
  await effect.promise;
  assert.equal((await partner('GET', '/v1/orders')).body.count, 1);
  assert.equal(isAnswered, false);
  // The repeat is answered immediately, and the simulator stops without waiting for the first call.
  await openOrder();
  assert.equal(isAnswered, false);
  await Promise.all([simulator.close(), assert.rejects(answer)]);
});

test('slow without effect: the call is refused late and has no effect', async (t) => {
  const { partner } = await startShop(t, {
    scenario: { name: 'slow', delayMs: 10, takesEffect: false },
  });
  const order = { amount: 100, currency: 'INR', receipt: 'r1' };
  assert.equal((await partner('POST', '/v1/orders', order)).status, 503);
  assert.equal((await partner('GET', '/v1/orders')).body.count, 0);
  assert.equal((await partner('POST', '/v1/orders', order)).status, 200);
});

test('refund-failing: the partner accepts a refund and reports its failure later', async (t) => {
  const { simulator, receiver, partner, openOrder, refundAtPartner } = await startShop(t, {
    scenario: { name: 'refund-failing' },
  });
  await simulator.pay(await openOrder());
  await simulator.settled();
  receiver.received.length = 0;
  const { id } = onlyPayment(simulator);
  assert.equal((await refundAtPartner(id, {})).body.status, 'pending');
  await simulator.settled();
  assert.deepEqual(eventsOf(receiver.received), ['refund.created', 'refund.failed']);
  // The amount can be refunded again.
  const payment = (await partner('GET', `/v1/payments/${id}`)).body;
  assert.deepEqual([payment.status, payment.amount_refunded], ['captured', 0]);
});

test('refund-failing: the gateway answers pending and reports its failure later', async (t) => {
  const { simulator, receiver, openSession, refundAtGateway } = await startShop(t, {
    scenario: { name: 'refund-failing' },
  });
  await simulator.pay(await openSession('o1'));
  await simulator.settled();
  receiver.received.length = 0;
  assert.equal((await refundAtGateway('o1', 'r1', '1.00')).body.result, 'PENDING');
  await simulator.settled();
  assert.deepEqual(noticesOf(receiver.received), ['REFUND PENDING r1', 'REFUND FAILURE r1']);
  assert.equal(simulator.ledger().refunds[0]?.status, 'failed');
});

test('a scenario can be set for one transaction, one order or one refund alone', async (t) => {
  const { simulator, openOrder, openSession, refundAtPartner } = await startShop(t);
  simulator.setScenarioFor('o_2-260101000000', { name: 'decline' });
  simulator.setScenarioFor('o_3', { name: 'decline' });
  simulator.setScenarioFor('o_1-260101000009', { name: 'refund-failing' });
  await simulator.pay(await openOrder('o_1-260101000000'));
  await simulator.pay(await openOrder('o_2-260101000000'));
  await simulator.pay(await openSession('o_3-260101000000'));
  await simulator.pay(await openSession('o_4-260101000000'));
  const { payments } = simulator.ledger();
  assert.deepEqual(
    Object.fromEntries(payments.map(({ reference, status }) => [reference, status])),
    {
      'o_1-260101000000': 'captured',
      'o_2-260101000000': 'failed',
      'o_3-260101000000': 'failed',
      'o_4-260101000000': 'captured',
    },
  );
  const paymentId = payments[0]?.id ?? '';
  await refundAtPartner(paymentId, {
    amount: 1,
    notes: { svc_transaction_id: 'o_1-260101000009' },
  });
  await refundAtPartner(paymentId, {
    amount: 2,
    notes: { svc_transaction_id: 'o_1-260101000010' },
  });
  await simulator.settled();
  const statuses = simulator.ledger().refunds.map(({ status }) => status);
  assert.deepEqual(statuses, ['failed', 'processed']);
});

test('a scenario of a refund applies to the call of each of its parts', async (t) => {
  const { simulator, openSession, refundAtGateway } = await startShop(t);
  const [orderId, refundId] = ['o_1-260101000000', 'o_1-260101000009'];
  await simulator.pay(await openSession(orderId));
  simulator.setScenarioFor(orderId, { name: 'happy' });
  simulator.setScenarioFor(refundId, { name: 'refund-failing' });
  for (const id of [refundId, `${refundId}-2`, 'o_1-260101000010-2']) {
    await refundAtGateway(orderId, id, '1.00');
  }
  await simulator.settled();
  const statuses = simulator.ledger().refunds.map(({ status }) => status);
  assert.deepEqual(statuses, ['failed', 'failed', 'processed']);
});

test('the consumer’s action overrides the scenario', async (t) => {
  const { simulator, receiver, openOrder, openSession } = await startShop(t);
  await simulator.pay(await openOrder(), 'cancel');
  await simulator.settled();
  const { payload } = JSON.parse(receiver.received[0]?.body ?? '');
  assert.equal(payload.payment.entity.error_reason, 'payment_cancelled');
  receiver.received.length = 0;
  await simulator.pay(await openSession(), 'cancel');
  await simulator.settled();
  assert.match(receiver.received[1]?.body ?? '', /CANCELLED/);
});
