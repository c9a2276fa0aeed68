import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScenarioName } from '../../simulator/simulator.ts';
import { listRecentHistory } from '../../src/store/orders/history.ts';
import { modeOf, type SimulatedProvider, startJourney } from '../support/journey.ts';
import { assertAgrees, type Outline, outlineOf } from './outline.ts';

/** What happens to a payment after its authorisation: captured late, in parts or again, or released. */
const journey = await startJourney();
const { service, simulator, shop, createOrder, pay, refund, enquire, heal } = journey;
const providers = Object.keys(modeOf) as SimulatedProvider[];

const paidInFull: Outline = {
  order: 'completed',
  transactions: ['payment succeeded 118'],
  refunds: [0, 118, 118],
};
const reversed: Outline = {
  order: 'pending',
  transactions: ['payment reversed 118'],
  refunds: undefined,
};

for (const provider of providers) {
  test(`${provider}: a payment that is captured late is authorized first, then completes its order`, async () => {
    const { orderId, transactionId } = await payUnder('manual-capture', provider);
    assert.deepEqual(await statusesOf(orderId, transactionId), ['authorized', 'succeeded']);
    await assertOutline(orderId, paidInFull);
    await refundPart(transactionId, 50);
    await assertOutline(orderId, {
      order: 'completed',
      transactions: ['payment succeeded 118', 'partial_refund succeeded 50'],
      refunds: [50, 68, 118],
    });
  });

  test(`${provider}: a released authorisation is reversed without a refund, and another payment pays`, async () => {
    const { orderId, transactionId } = await payUnder('release', provider);
    assert.deepEqual(await statusesOf(orderId, transactionId), ['authorized', 'reversed']);
    await assertOutline(orderId, reversed);
    const { status } = await refund({ transaction_id: transactionId });
    assert.equal(status, 422);

    simulator.setScenarioFor(orderId, { name: 'happy' });
    await pay(orderId, modeOf[provider]);
    await simulator.settled();
    await assertOutline(orderId, {
      order: 'completed',
      transactions: ['payment reversed 118', 'payment succeeded 118'],
      refunds: [0, 118, 118],
    });
  });

  test(`${provider}: a chargeback is a lost dispute, and leaves the order completed`, async () => {
    const { orderId } = await payUnder('chargeback', provider);
    await assertOutline(orderId, { ...paidInFull, refunds: [0, 0, 118] });
    const [{ disputes }] = (await enquire({ order_id: orderId })).body.transaction;
    assert.deepEqual(
      disputes.map(({ status, amount_deducted }: Record<string, unknown>) => [
        status,
        amount_deducted,
      ]),
      [['lost', 118]],
    );
  });

  test(`${provider}: webhooks and polls agree about a late capture or a release`, async () => {
    const late = await payUnder('manual-capture', provider);
    const released = await payUnder('release', provider);
    await heal();
    await assertOutline(late.orderId, paidInFull);
    await assertOutline(released.orderId, reversed);
  });
}

test('bank-gateway: two captures pay for an order, and a refund is split over both', async () => {
  const { orderId, transactionId } = await payUnder('partial-capture', 'bank-gateway');
  await assertOutline(orderId, paidInFull);
  await refundPart(transactionId, 100);
  await assertOutline(orderId, {
    order: 'completed',
    transactions: ['payment succeeded 118', 'partial_refund succeeded 100'],
    refunds: [100, 18, 118],
  });
  // The first capture, sixty percent, is refunded completely before the second one.
  assert.deepEqual(amountsRefundedOf(orderId), [7080, 2920]);
  await refundPart(transactionId, 18);
  assert.deepEqual(amountsRefundedOf(orderId), [7080, 2920, 1800]);
});

test('bank-gateway: a partial capture counts with its own amount and does not complete the order', async () => {
  const { orderId, transactionId } = await payUnder('partial-capture-only', 'bank-gateway');
  await assertOutline(orderId, {
    order: 'pending',
    transactions: ['payment succeeded 70.8'],
    refunds: [0, 70.8, 70.8],
  });
  const { rows } = await service.database.query({
    text: `select from transactions where order_id = $1 and 'partially_captured' = any(flags)`,
    values: [orderId],
  });
  assert.equal(rows.length, 1);
  const { status } = await refund({ transaction_id: transactionId, refund_amount: 70.81 });
  assert.ok(status >= 400 && status < 500, `${status}`);
  await refundPart(transactionId, 70.8);
  assert.deepEqual(amountsRefundedOf(orderId), [7080]);
});

test('bank-gateway: a capture that was voided and repeated pays, and can be refunded', async () => {
  const { orderId, transactionId } = await payUnder('void-and-capture-again', 'bank-gateway');
  assert.deepEqual(await statusesOf(orderId, transactionId), [
    'authorized',
    'succeeded',
    'authorized',
    'succeeded',
  ]);
  await assertOutline(orderId, paidInFull);
  await refundPart(transactionId, 50);
  assert.deepEqual(amountsRefundedOf(orderId), [5000]);
});

test('bank-gateway: a voided payment does not complete its order any more', async () => {
  const { orderId, transactionId } = await payUnder('void', 'bank-gateway');
  assert.deepEqual(await statusesOf(orderId, transactionId), ['succeeded', 'reversed']);
  await assertOutline(orderId, reversed);
});

test('bank-gateway: two captures on its own pages and a void of the rest agree with the ledger', async () => {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'release', delayMs: 2_000 });
  const transactionId = await pay(orderId, modeOf['bank-gateway']);
  const paymentId = `${transactionId}|1`;
  assert.equal(await simulator.holds.capture(paymentId, 6_000), true);
  assert.equal(await simulator.holds.capture(paymentId, 2_000), true);
  assert.equal(await simulator.holds.void(paymentId), true);
  await simulator.settled();
  await assertOutline(orderId, {
    order: 'pending',
    transactions: ['payment succeeded 80'],
    refunds: [0, 80, 80],
  });
  await refundPart(transactionId, 70);
  assert.deepEqual(amountsRefundedOf(orderId), [6000, 1000]);
});

test('partner: a payment that is captured on its dashboard before it is released completes its order', async () => {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name: 'release', delayMs: 1_000 });
  const transactionId = await pay(orderId, modeOf.partner);
  const { payments } = simulator.ledger();
  const paymentId = payments.find(({ reference }) => reference === transactionId)?.id ?? '';
  assert.equal(await simulator.holds.capture(paymentId), true);
  await simulator.settled();
  await assertOutline(orderId, paidInFull);
});

test('partner: a payment with an offer completes its order, and the discount is shown', async () => {
  const { orderId, transactionId } = await payUnder('offer', 'partner');
  await assertOutline(orderId, {
    order: 'completed',
    transactions: ['payment succeeded 106.2'],
    refunds: [0, 106.2, 106.2],
  });
  const { body } = await enquire({ transaction_id: transactionId });
  assert.equal(body.transaction[0].offer_discount, 11.8);
});

test('after these tests, verify finds nothing', () => journey.assertSound());

async function payUnder(name: ScenarioName, provider: SimulatedProvider) {
  const orderId = await createOrder();
  simulator.setScenarioFor(orderId, { name });
  const transactionId = await pay(orderId, modeOf[provider]);
  await simulator.settled();
  return { orderId, transactionId };
}

async function refundPart(transactionId: string, amount: number): Promise<void> {
  const { status, body } = await refund({
    transaction_id: transactionId,
    refund_amount: amount,
    refund_request_id: `${transactionId}-${amount}`,
  });
  assert.equal(status, 200, JSON.stringify(body));
  await simulator.settled();
}

/** The amounts of the refund calls that the gateway received. */
function amountsRefundedOf(orderId: string): number[] {
  return simulator
    .ledger()
    .refunds.filter(({ reference }) => reference.startsWith(`${orderId}-`))
    .map(({ amount }) => amount);
}

/** The enquiry shows the expected outline and agrees with the ledger. */
async function assertOutline(orderId: string, expected: Outline): Promise<void> {
  const reply = await enquire({ order_id: orderId });
  assert.deepEqual(outlineOf(reply), expected);
  assertAgrees(reply, simulator.ledger());
}

/** Every status of the payment since its authorisation. */
async function statusesOf(orderId: string, transactionId: string): Promise<unknown[]> {
  const history = await listRecentHistory(
    service.database,
    { accountId: shop.accountId, orderId },
    1_000,
  );
  return history
    .filter((entry) => entry.transactionId === transactionId)
    .flatMap(({ changes }) => changes.filter(({ field }) => field === 'status'))
    .map(({ to }) => to)
    .filter((status) => status !== 'new' && status !== 'pending');
}
