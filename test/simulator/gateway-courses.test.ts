import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScenarioName } from '../../simulator/simulator.ts';
import {
  gatewayPath,
  type Json,
  onlyPayment,
  type Received,
  shopAt,
  startShop,
} from './support.ts';

const orderId = 'o_1-260101000000';

/** The notifications of each scenario, one line each, and the final payment in the ledger. */
const table: readonly (readonly [ScenarioName, readonly string[], Json])[] = [
  [
    'manual-capture',
    [
      'AUTHORIZATION 1 of 10.5: AUTHORIZED, 10.5 authorized, 0 captured',
      'CAPTURE 2 of 10.5: CAPTURED, 10.5 authorized, 10.5 captured',
    ],
    { id: `${orderId}|1`, status: 'captured', amount: 1050 },
  ],
  [
    'release',
    [
      'AUTHORIZATION 1 of 10.5: AUTHORIZED, 10.5 authorized, 0 captured',
      'VOID_AUTHORIZATION 2 → 1 of 10.5: CANCELLED, 0 authorized, 0 captured',
    ],
    { id: `${orderId}|1`, status: 'reversed', amount: 1050 },
  ],
  [
    'partial-capture',
    [
      'AUTHORIZATION 1 of 10.5: AUTHORIZED, 10.5 authorized, 0 captured',
      'CAPTURE 2 → 1 of 6.3: PARTIALLY_CAPTURED, 10.5 authorized, 6.3 captured',
      'CAPTURE 3 of 4.2: CAPTURED, 10.5 authorized, 10.5 captured',
    ],
    { id: `${orderId}|1`, status: 'captured', amount: 1050 },
  ],
  [
    'partial-capture-only',
    [
      'AUTHORIZATION 1 of 10.5: AUTHORIZED, 10.5 authorized, 0 captured',
      'CAPTURE 2 → 1 of 6.3: PARTIALLY_CAPTURED, 10.5 authorized, 6.3 captured',
      'VOID_AUTHORIZATION 3 → 1 of 4.2: PARTIALLY_CAPTURED, 6.3 authorized, 6.3 captured',
    ],
    { id: `${orderId}|1`, status: 'captured', amount: 630 },
  ],
  [
    'void-and-capture-again',
    [
      'AUTHORIZATION 1 of 10.5: AUTHORIZED, 10.5 authorized, 0 captured',
      'CAPTURE 2 → 1 of 10.5: CAPTURED, 10.5 authorized, 10.5 captured',
      'VOID_CAPTURE 3 → 2 of 10.5: AUTHORIZED, 10.5 authorized, 0 captured',
      'CAPTURE 4 → 1 of 10.5: CAPTURED, 10.5 authorized, 10.5 captured',
    ],
    { id: `${orderId}|1`, status: 'captured', amount: 1050 },
  ],
  [
    'void',
    [
      'PAYMENT 1 of 10.5: CAPTURED, 10.5 authorized, 10.5 captured',
      'VOID_PAYMENT 2 → 1 of 10.5: CANCELLED, 0 authorized, 0 captured',
    ],
    { id: `${orderId}|1`, status: 'reversed', amount: 1050 },
  ],
  [
    'chargeback',
    [
      'PAYMENT 1 of 10.5: CAPTURED, 10.5 authorized, 10.5 captured',
      'CHARGEBACK chargeback-1 → 1 of 10.5: CHARGEBACK_PROCESSED, 10.5 authorized, 10.5 captured, 10.5 charged back',
    ],
    { id: `${orderId}|1`, status: 'captured', amount: 1050 },
  ],
  // Scenarios of the partner only: the gateway plays the happy one.
  [
    'offer',
    ['PAYMENT 1 of 10.5: CAPTURED, 10.5 authorized, 10.5 captured'],
    { id: `${orderId}|1`, status: 'captured', amount: 1050 },
  ],
];

for (const [name, notices, payment] of table) {
  test(`${name}: each notification of the gateway has the totals at that time`, async (t) => {
    const { simulator, receiver, gateway, openSession } = await startShop(t, {
      scenario: { name },
    });
    // JSON only, so that all bodies are read the same way.
    simulator.register({ gateway: { ...shopAt(receiver.url).gateway, webhookForm: 'json' } });
    await simulator.pay(await openSession(orderId));
    await simulator.settled();

    const [authentication, ...others] = receiver.received;
    assert.match(authentication?.body ?? '', /"type":"AUTHENTICATION"/);
    assert.deepEqual(others.map(lineOf), notices);

    const order = (await gateway('GET', `${gatewayPath}/order/${orderId}`)).body;
    const { transaction, ...today } = order as Json & { transaction: Json[] };
    assert.deepEqual(
      transaction.map((entry) => (entry.transaction as Json).id),
      receiver.received.map(({ body }) => JSON.parse(body).transaction.id),
    );
    // Each entry has the current totals, not those at its own time.
    for (const entry of transaction) {
      assert.deepEqual(today, {
        ...(entry.order as Json),
        merchant: 'TESTSHOP',
        result: 'SUCCESS',
      });
    }
    const { id, status, amount } = onlyPayment(simulator);
    assert.deepEqual({ id, status, amount }, payment);
  });
}

test('an approved payment is not tried a second time, even after it was voided', async (t) => {
  const { simulator, openSession } = await startShop(t, { scenario: { name: 'release' } });
  const sessionId = await openSession();
  await simulator.pay(sessionId);
  assert.equal(onlyPayment(simulator).status, 'authorized');
  await simulator.pay(sessionId);
  await simulator.settled();
  await simulator.pay(sessionId);
  assert.equal(onlyPayment(simulator).status, 'reversed');
});

test('parts of an amount are whole minor units and add up to the amount', async (t) => {
  const { simulator, gateway, openSession } = await startShop(t, {
    scenario: { name: 'partial-capture' },
  });
  await simulator.pay(await openSession('yen', { amount: '1001', currency: 'JPY' }));
  await simulator.settled();
  const { transaction } = (await gateway('GET', `${gatewayPath}/order/yen`)).body;
  const amounts = (transaction as Json[]).map((entry) => (entry.transaction as Json).amount);
  assert.deepEqual(amounts.slice(1), [1001, 601, 400]);
});

test('a refund of two captures is two calls, each for its own capture', async (t) => {
  const { simulator, gateway, openSession, refundAtGateway } = await startShop(t, {
    scenario: { name: 'partial-capture' },
  });
  await simulator.pay(await openSession(orderId));
  await simulator.settled();
  const refundId = 'o_1-260101000001';
  const refund = (id: string, amount: string, target?: string) =>
    refundAtGateway(orderId, id, amount, { ...(target && { targetTransactionId: target }) });

  // A call for the authorisation or without a target is refused, because the payment has two captures.
  assert.equal((await refund(refundId, '1.00', '1')).status, 400);
  assert.equal((await refund(refundId, '1.00')).status, 400);
  assert.equal((await refund(refundId, '6.31', '2')).status, 400);
  assert.equal((await refund(refundId, '6.30', '2')).status, 201);
  assert.equal((await refund(`${refundId}-2`, '4.21', '3')).status, 400);
  assert.equal((await refund(`${refundId}-2`, '4.20', '3')).status, 201);
  assert.equal((await refund('o_1-260101000002', '0.01', '3')).status, 400);

  const order = (await gateway('GET', `${gatewayPath}/order/${orderId}`)).body;
  assert.deepEqual([order.status, order.totalRefundedAmount], ['REFUNDED', 10.5]);
  assert.deepEqual(
    simulator.ledger().refunds.map(({ id, paymentId, amount }) => [id, paymentId, amount]),
    [
      [`${orderId}|${refundId}`, `${orderId}|1`, 630],
      [`${orderId}|${refundId}-2`, `${orderId}|1`, 420],
    ],
  );
});

test('a voided capture cannot be refunded, and the repeated one can', async (t) => {
  const { simulator, openSession, refundAtGateway } = await startShop(t, {
    scenario: { name: 'void-and-capture-again' },
  });
  await simulator.pay(await openSession(orderId));
  await simulator.settled();
  const voided = await refundAtGateway(orderId, 'r1', '1.00', { targetTransactionId: '2' });
  assert.equal(voided.status, 400);
  const again = await refundAtGateway(orderId, 'r1', '1.00', { targetTransactionId: '4' });
  assert.equal(again.status, 201);
});

test('a payment with a refund cannot be voided', async (t) => {
  const { simulator, openSession, refundAtGateway } = await startShop(t, {
    scenario: { name: 'void', delayMs: 100 },
  });
  await simulator.pay(await openSession(orderId));
  await refundAtGateway(orderId, 'r1', '1.00');
  await simulator.settled();
  assert.equal(onlyPayment(simulator).status, 'captured');
});

function lineOf({ body }: Received): string {
  const { transaction, order } = JSON.parse(body);
  const target = transaction.targetTransactionId ? ` → ${transaction.targetTransactionId}` : '';
  const { totalAuthorizedAmount, totalCapturedAmount, chargeback } = order;
  const chargedBack = chargeback.amount > 0 ? `, ${chargeback.amount} charged back` : '';
  return `${transaction.type} ${transaction.id}${target} of ${transaction.amount}: ${order.status}, ${totalAuthorizedAmount} authorized, ${totalCapturedAmount} captured${chargedBack}`;
}
