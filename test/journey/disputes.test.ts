/** Disputes at the simulator, from the first message to the end, and refunds that cross them. Contract 17. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDisputeStep } from '../../simulator/dispute-steps.ts';
import { sweep } from '../../src/use-cases/upkeep/sweep.ts';
import { assertRefused } from '../api/assertions.ts';
import { modeOf, startJourney } from '../support/journey.ts';

const journey = await startJourney();
const { service, simulator, createPaid, enquire, refund, assertSound } = journey;
const { disputes } = simulator;
const daySeconds = 24 * 3600;
const rounds = 12;

test('partner: a dispute goes from its creation to a loss, and what was deducted is shown', async () => {
  const { orderId, transactionId, id } = await openDispute({ amount: 10_000 });
  const { dispute_id, respond_by, created_at, ...fields } = await disputeOf(orderId);
  assert.deepEqual([dispute_id, typeof respond_by, typeof created_at], [id, 'string', 'string']);
  assert.deepEqual(
    { ...fields, reason: null },
    {
      svc_transaction_id: transactionId,
      status: 'open',
      phase: 'chargeback',
      reason_code: 'goods_or_services_not_received_or_partially_received',
      reason: null,
      amount: 100,
      currency: 'INR',
      amount_deducted: 0,
      action_required: false,
    },
  );
  assert.equal(await availableOf(orderId), 18);
  service.advanceSeconds(60);
  await step(id, 'action_required');
  assert.equal((await disputeOf(orderId)).action_required, true);
  service.advanceSeconds(60);
  await step(id, 'under_review');
  assert.deepEqual(await stateOf(orderId), ['under_review', false, 0]);
  service.advanceSeconds(60);
  await step(id, 'lost');
  assert.deepEqual(await stateOf(orderId), ['lost', false, 100]);
  assert.equal(await availableOf(orderId), 18);
  assertRefused(
    await refund({ transaction_id: transactionId, refund_amount: 18.01 }),
    'PAYMENT_DISPUTED',
    'Disputes claim',
  );
  assert.equal((await refund({ transaction_id: transactionId, refund_amount: 18 })).status, 200);
  await simulator.settled();
  const { order } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual([order.status, order.refund_details.refunded_amount], ['completed', 18]);
});

test('partner: a refund is refused while the dispute is open, and possible when it is won', async () => {
  const { orderId, transactionId, id } = await openDispute();
  assertRefused(
    await refund({ transaction_id: transactionId }),
    'PAYMENT_DISPUTED',
    'Disputes claim',
  );
  await step(id, 'won');
  assert.deepEqual(await stateOf(orderId), ['won', false, 0]);
  assert.equal(await availableOf(orderId), 118);
  // The partner reports the payment of a dispute that was won as authorized.
  const { transaction } = (await enquire({ order_id: orderId })).body;
  assert.equal(transaction[0].payment_status, 'succeeded');
  assert.equal((await refund({ transaction_id: transactionId })).status, 200);
});

test('partner: a loss whose webhook was lost is found by the poll of the next day', async () => {
  const { orderId, id } = await openDispute();
  simulator.setScenarioFor(orderId, { name: 'lost-webhook' });
  await step(id, 'lost');
  assert.deepEqual(await stateOf(orderId), ['open', false, 0]);
  service.advanceSeconds(daySeconds - 60);
  await sweep(service.services);
  assert.deepEqual(await stateOf(orderId), ['open', false, 0]);
  service.advanceSeconds(120);
  await sweep(service.services);
  assert.deepEqual(await stateOf(orderId), ['lost', false, 118]);
});

test('partner: a result before its dispute, and both before the payment, end in the same state', async () => {
  const orderId = await journey.createOrder();
  const behaviour = { disputes: [{ share: 1, steps: ['won'] }] } as const;
  simulator.setScenarioFor(orderId, { name: 'swapped', behaviour, delayMs: 50 });
  await journey.pay(orderId);
  await simulator.settled();
  assert.deepEqual(await stateOf(orderId), ['won', false, 0]);
  assert.equal(await availableOf(orderId), 118);
});

test('bank-gateway: chargebacks of a part and of the rest are lost disputes, and nothing is refundable', async () => {
  const { orderId, transactionId } = await createPaid({}, 'credit_card');
  const paymentId = paymentIdOf(orderId);
  await disputes.open(paymentId, { amount: 1_800 });
  await simulator.settled();
  assert.equal(await availableOf(orderId), 100);
  await disputes.open(paymentId);
  await simulator.settled();
  const { transaction } = (await enquire({ order_id: orderId })).body;
  assert.deepEqual(
    transaction[0].disputes.map((one: Record<string, unknown>) => [
      one.status,
      one.amount_deducted,
    ]),
    [
      ['lost', 18],
      ['lost', 100],
    ],
  );
  assertRefused(
    await refund({ transaction_id: transactionId, refund_amount: 1 }),
    'PAYMENT_DISPUTED',
    'Disputes claim',
  );
});

describe('a refund and a dispute of the whole payment at the same moment', () => {
  for (const [provider, mode] of Object.entries(modeOf)) {
    test(`at ${provider}: the refund is refused, or the payment is flagged, in every round`, async (t) => {
      const outcomes = { refused: 0, flagged: 0 };
      for (let round = 0; round < rounds; round += 1) {
        const { orderId, transactionId } = await createPaid({}, mode);
        const paymentId = paymentIdOf(orderId);
        // The dispute takes the longer way, so it gets a lead that differs from round to round.
        const opening = disputes.open(paymentId);
        await new Promise((resolve) => setTimeout(resolve, round % 8));
        const [reply] = await Promise.all([refund({ transaction_id: transactionId }), opening]);
        await simulator.settled();
        const made = simulator.ledger().refunds.filter((one) => one.paymentId === paymentId);
        const flags = await flagsOf(transactionId);
        assert.equal(await availableOf(orderId), 0);
        if (reply.status === 200) {
          assert.deepEqual([made.length, flags], [1, ['refund_and_dispute']]);
          outcomes.flagged += 1;
        } else {
          assertRefused(reply, 'PAYMENT_DISPUTED', 'Disputes claim');
          assert.deepEqual([made, flags], [[], []]);
          outcomes.refused += 1;
        }
      }
      t.diagnostic(JSON.stringify(outcomes));
    });
  }
});

test('after these tests, verify finds nothing', () => assertSound());

async function openDispute(wish: { readonly amount?: number } = {}) {
  const paid = await createPaid();
  const id = await disputes.open(paymentIdOf(paid.orderId), wish);
  await simulator.settled();
  return { ...paid, id: id ?? assert.fail('the payment cannot be disputed') };
}

/** Waits until the message has been delivered. */
async function step(disputeId: string, word: string): Promise<void> {
  assert.ok(isDisputeStep(word) && (await disputes.move(disputeId, word)));
  await simulator.settled();
}

function paymentIdOf(orderId: string): string {
  const { payments } = simulator.ledger();
  return payments.find(({ reference }) => reference.startsWith(orderId))?.id ?? '';
}

async function disputeOf(orderId: string) {
  return (await enquire({ order_id: orderId })).body.transaction[0].disputes[0];
}

async function stateOf(orderId: string) {
  const { status, action_required, amount_deducted } = await disputeOf(orderId);
  return [status, action_required, amount_deducted];
}

async function availableOf(orderId: string): Promise<number> {
  const { order } = (await enquire({ order_id: orderId })).body;
  return order.refund_details.available_refundable_amount;
}

async function flagsOf(transactionId: string): Promise<unknown> {
  const { rows } = await service.database.query({
    text: 'select flags from transactions where transaction_id = $1',
    values: [transactionId],
  });
  return rows[0]?.flags;
}
