import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scenario } from '../../simulator/simulator.ts';
import { listRecentHistory } from '../../src/store/orders/history.ts';
import { findCheckout, modeOf, type SimulatedProvider, startJourney } from '../support/journey.ts';
import { assertAgrees, type Outline, outlineOf } from './outline.ts';

const journey = await startJourney();
const { service, simulator, shop, createOrder, initiate, pay, refund, enquire, heal } = journey;
const providers = Object.keys(modeOf) as SimulatedProvider[];

/** Scenarios with disturbed webhooks or slow answers that must not change the result. */
const harmless: readonly (readonly [string, Scenario])[] = [
  ['without disturbance', { name: 'happy' }],
  ['with every webhook sent twenty times concurrently', { name: 'duplicate-storm' }],
  ['with webhooks in reverse order', { name: 'swapped' }],
  ['with every webhook first signed with another secret', { name: 'wrong-signature' }],
  ['with every webhook first cut off', { name: 'truncated' }],
  ['with every webhook first sent in half', { name: 'truncated', cut: 'body' }],
  ['with late answers', { name: 'slow' }],
];

for (const provider of providers) {
  for (const [when, scenario] of harmless) {
    test(`${provider}: a payment and its two refunds end correctly ${when}`, async () => {
      const orderId = await createOrder();
      simulator.setScenarioFor(orderId, scenario);
      const transactionId = await pay(orderId, modeOf[provider]);
      await simulator.settled();
      await assertOutline(orderId, {
        order: 'completed',
        transactions: ['payment succeeded 118'],
        refunds: [0, 118, 118],
      });

      await refundPart(transactionId, 'A', 50);
      await simulator.settled();
      await assertOutline(orderId, {
        order: 'completed',
        transactions: ['payment succeeded 118', 'partial_refund succeeded 50'],
        refunds: [50, 68, 118],
      });

      await refundPart(transactionId, 'B');
      await simulator.settled();
      await assertOutline(orderId, allRefunded);
    });
  }

  test(`${provider}: a payment and its two refunds end correctly with every webhook lost`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
    const transactionId = await pay(orderId, modeOf[provider]);
    await simulator.settled();
    assert.deepEqual(outlineOf(await enquire({ order_id: orderId })), {
      order: 'pending',
      transactions: ['payment pending 118'],
      refunds: undefined,
    });
    await heal();
    await refundPart(transactionId, 'A', 50);
    await refundPart(transactionId, 'B');
    await simulator.settled();
    await heal();

    await assertOutline(orderId, allRefunded);
  });

  test(`${provider}: a payment reported failed and captured later is a success`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'late-success' });
    const transactionId = await pay(orderId, modeOf[provider]);
    await simulator.settled();

    const statuses = await statusesOf(orderId, transactionId);
    const finals = statuses.filter((status) => status === 'failed' || status === 'succeeded');
    assert.deepEqual(finals, ['failed', 'succeeded']);
    await assertOutline(orderId, {
      order: 'completed',
      transactions: ['payment succeeded 118'],
      refunds: [0, 118, 118],
    });
  });

  test(`${provider}: the transaction shows the try that paid, out of two at one checkout`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'second-attempt' });
    const started = (await initiate(orderId, modeOf[provider])).body;
    const checkout = await findCheckout(started.next[0].url);
    await simulator.pay(checkout);
    await simulator.settled();
    await assertOutline(orderId, {
      order: 'pending',
      transactions: ['payment failed 118 INSUFFICIENT_FUNDS'],
      refunds: undefined,
    });

    await simulator.pay(checkout);
    await simulator.settled();
    const { body } = await enquire({ transaction_id: started.transaction_id });
    assert.equal(body.transaction[0].payment_status, 'succeeded');
    const outline = outlineOf(await enquire({ order_id: orderId }));
    assert.deepEqual(
      { ...outline, transactions: outline.transactions.toSorted() },
      {
        order: 'completed',
        transactions: ['payment failed 118 INSUFFICIENT_FUNDS', 'payment succeeded 118'],
        refunds: [0, 118, 118],
      },
    );
    assertAgrees(await enquire({ order_id: orderId }), simulator.ledger());
  });

  test(`${provider}: the amount of a failed refund is available again and can be refunded`, async () => {
    const orderId = await createOrder();
    simulator.setScenarioFor(orderId, { name: 'refund-failing' });
    const transactionId = await pay(orderId, modeOf[provider]);
    await simulator.settled();
    await refundPart(transactionId, 'A', 50);
    await simulator.settled();
    await assertOutline(orderId, {
      order: 'completed',
      transactions: ['payment succeeded 118', 'partial_refund failed 50 REFUND_FAILED'],
      refunds: [0, 118, 118],
    });

    simulator.setScenarioFor(orderId, { name: 'happy' });
    const second = await refundPart(transactionId, 'A', 50);
    await simulator.settled();
    await assertOutline(orderId, {
      order: 'completed',
      transactions: [
        'payment succeeded 118',
        'partial_refund failed 50 REFUND_FAILED',
        'partial_refund succeeded 50',
      ],
      refunds: [50, 68, 118],
    });
    const { body } = await enquire({ transaction_id: second });
    assert.equal(body.transaction[0].refund_status, 'succeeded');
  });
}

/** The provider's reason, and our code for it. */
const reasons = {
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  payment_timed_out: 'PAYMENT_TIMED_OUT',
  card_declined: 'DECLINED_BY_BANK',
  authentication_failed: 'AUTHENTICATION_FAILED_AT_BANK',
  gateway_technical_error: 'PROVIDER_TECHNICAL_ERROR',
  card_expired: 'INVALID_PAYMENT_DETAILS',
  payment_risk_check_failed: 'RISK_REJECTED',
  some_new_reason: 'PAYMENT_FAILED',
} as const;

for (const provider of providers) {
  for (const [reason, code] of Object.entries(reasons)) {
    test(`${provider}: a payment declined for ${reason} fails with ${code}, and another one pays`, async () => {
      const orderId = await createOrder();
      simulator.setScenarioFor(orderId, { name: 'decline', reason });
      const transactionId = await pay(orderId, modeOf[provider]);
      await simulator.settled();
      await assertOutline(orderId, {
        order: 'pending',
        transactions: [`payment failed 118 ${code}`],
        refunds: undefined,
      });
      const { status, body } = await refund({ transaction_id: transactionId });
      assert.deepEqual([status, body.error.svc_error_code], [422, 'REFUND_NOT_ALLOWED']);

      simulator.setScenarioFor(orderId, { name: 'happy' });
      await pay(orderId, modeOf[provider]);
      await simulator.settled();
      await assertOutline(orderId, {
        order: 'completed',
        transactions: [`payment failed 118 ${code}`, 'payment succeeded 118'],
        refunds: [0, 118, 118],
      });
    });
  }

  test(`${provider}: a cancelled payment is shown as cancelled, and can be paid at the same checkout`, async () => {
    const orderId = await createOrder();
    const started = (await initiate(orderId, modeOf[provider])).body;
    const checkout = await findCheckout(started.next[0].url);
    await simulator.pay(checkout, 'cancel');
    await simulator.settled();
    await assertOutline(orderId, {
      order: 'pending',
      transactions: ['payment failed 118 PAYMENT_CANCELLED_BY_CONSUMER'],
      refunds: undefined,
    });
    await simulator.pay(checkout);
    await simulator.settled();
    assert.equal((await enquire({ order_id: orderId })).body.order.status, 'completed');
    assertAgrees(await enquire({ order_id: orderId }), simulator.ledger());
  });
}

test('bank-gateway: a payment and a refund are retried immediately while the provider is down, and made once', async () => {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'provider-down' });
  const transactionId = await pay(orderId, 'credit_card');
  await simulator.settled();
  await refundPart(transactionId, 'A', 50);
  await simulator.settled();

  await assertOutline(orderId, {
    order: 'completed',
    transactions: ['payment succeeded 118', 'partial_refund succeeded 50'],
    refunds: [50, 68, 118],
  });
});

test('partner: a payment with an unknown result is not sent twice and stays pending, and another one pays', async () => {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'provider-down' });
  const { status, body } = await initiate(orderId, 'upi');
  assert.deepEqual([status, body.payment_status, body.next], [200, 'pending', []]);
  await heal();
  await assertOutline(orderId, {
    order: 'pending',
    transactions: ['payment pending 118'],
    refunds: undefined,
  });

  simulator.setScenarioFor(orderId, { name: 'happy' });
  const transactionId = await pay(orderId, 'upi');
  await simulator.settled();
  simulator.setScenarioFor(orderId, { name: 'provider-down' });
  await refundPart(transactionId, 'A', 50);
  await simulator.settled();
  await assertOutline(orderId, {
    order: 'completed',
    transactions: ['payment pending 118', 'payment succeeded 118', 'partial_refund succeeded 50'],
    refunds: [50, 68, 118],
  });
});

test('after these tests, verify finds nothing', () => journey.assertSound());

const allRefunded: Outline = {
  order: 'completed',
  transactions: [
    'payment succeeded 118',
    'partial_refund succeeded 50',
    'partial_refund succeeded 68',
  ],
  refunds: [118, 0, 118],
};

/** The enquiry shows the expected outline and agrees with the ledger. */
async function assertOutline(orderId: string, expected: Outline): Promise<void> {
  const reply = await enquire({ order_id: orderId });
  assert.deepEqual(outlineOf(reply), expected);
  assertAgrees(reply, simulator.ledger());
}

async function refundPart(transactionId: string, name: string, amount?: number): Promise<string> {
  const { status, body } = await refund({
    transaction_id: transactionId,
    refund_request_id: `${transactionId}-${name}`,
    ...(amount !== undefined && { refund_amount: amount }),
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.original_payment_transaction_id, transactionId);
  assert.equal(body.transaction_type, 'partial_refund');
  return body.transaction_id;
}

/** Every status of the transaction so far. */
async function statusesOf(orderId: string, transactionId: string): Promise<unknown[]> {
  const history = await listRecentHistory(
    service.database,
    { accountId: shop.accountId, orderId },
    1_000,
  );
  return history
    .filter((entry) => entry.transactionId === transactionId)
    .flatMap(({ changes }) => changes.filter(({ field }) => field === 'status'))
    .map(({ to }) => to);
}
