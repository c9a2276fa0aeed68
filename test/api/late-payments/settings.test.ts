/** When a late payment is kept, and what may have happened to it before and after. Contract 19.3. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { explainOrder } from '../../../src/use-cases/orders/explain-order.ts';
import { rebuildOrder } from '../../../src/use-cases/upkeep/rebuild-order.ts';
import { partnerEvent, partnerPayment, partnerRefund } from '../../support/deliveries.ts';
import { disputeEvent, disputeRecord } from '../disputes/dispute-shop.ts';
import { assertInvariants, type CreatedOrder } from '../webhooks/shop.ts';
import { captureAt, openLateShop, paidAt } from './late-shop.ts';

const shop = await openLateShop();
const { change, createLapsed, outcomeOf, refundsOf, sent, service, work } = shop;

const refunded = {
  order: 'lapsed',
  payments: ['succeeded'],
  refunds: ['pending 118'],
  flags: ['refunded_late_payment'],
};
const kept = { order: 'completed', payments: ['succeeded'], refunds: [], flags: [''] };

describe('an account that keeps late payments', () => {
  test('has its order completed, as before', async () => {
    const keeping = await openLateShop({ latePayments: 'keep' });
    const order = await keeping.createLapsed();
    await keeping.sendPartner(captureAt(order, order.lapsedAt + 10));
    assert.deepEqual(await keeping.outcomeOf(order.order_id), kept);
    await assertInvariants(keeping);
  });

  test('and refunds from now on: what was applied before stays, whatever is reported or rebuilt', async () => {
    await change({ latePayments: 'keep' });
    const order = await createLapsed();
    const other = await createLapsed();
    const capture = captureAt(order, order.lapsedAt + 10);
    // The amount differs, so the order stays lapsed, too.
    const smaller = captureAt(other, other.lapsedAt + 10, { amount: 5_000 });
    await shop.sendPartner(capture);
    await shop.sendPartner(smaller);
    await change({ latePayments: 'refund' });
    for (const body of [capture, paidAt(capture), smaller, paidAt(smaller)]) {
      await shop.sendPartner(body);
      await shop.sendPartner({ ...body, again: true });
    }
    for (const { order_id } of [order, other]) {
      assert.equal(await rebuild(order_id), 'same');
      assert.deepEqual(await refundsOf(order_id), []);
    }
    assert.deepEqual(await outcomeOf(order.order_id), kept);
    await assertInvariants(shop);
  });
});

test('an account that refunded and keeps from now on does not take the refund back', async () => {
  const order = await createLapsed();
  const capture = captureAt(order, order.lapsedAt + 10);
  await shop.sendPartner(capture);
  await change({ latePayments: 'keep' });
  await shop.sendPartner(paidAt(capture));
  assert.equal(await rebuild(order.order_id), 'same');
  assert.deepEqual(await outcomeOf(order.order_id), refunded);
  await change({ latePayments: 'refund' });
});

test('without API keys of the provider nothing can be refunded, so the payment is kept', async () => {
  const bare = await openLateShop({ providerApis: {}, apiSecrets: {} });
  const order = await bare.createLapsed();
  await bare.sendPartner(captureAt(order, order.lapsedAt + 10));
  assert.deepEqual(await bare.outcomeOf(order.order_id), kept);
});

describe('only what is available is refunded', () => {
  const authorise = async (order: CreatedOrder, at: number) => {
    const notes = { svc_order_id: order.order_id };
    const payment = partnerPayment({ status: 'authorized', captured: false, notes });
    await shop.sendPartner(partnerEvent('payment.authorized', { payment }, { created_at: at }));
    return payment;
  };

  for (const [amount, refunds] of [
    [5_000, ['pending 68']],
    [11_800, []],
  ] as const) {
    test(`when a dispute claims ${amount}`, async () => {
      const order = await createLapsed();
      const at = Math.ceil(order.lapsedAt + 10);
      const payment = await authorise(order, at - 600);
      await shop.sendPartner(disputeEvent('created', disputeRecord(payment, { amount })));
      const captured = { ...payment, status: 'captured', captured: true };
      const body = partnerEvent('payment.captured', { payment: captured }, { created_at: at });
      await shop.sendPartner(body);
      const outcome = await outcomeOf(order.order_id);
      assert.deepEqual(outcome.refunds, refunds);
      assert.equal(outcome.order, refunds.length > 0 ? 'lapsed' : 'completed');
    });
  }

  test('when it was refunded at the provider before its success is known', async () => {
    const order = await createLapsed();
    const at = Math.ceil(order.lapsedAt + 10);
    const notes = { svc_order_id: order.order_id };
    const payment = partnerPayment({ created_at: at, notes, amount_refunded: 11_800 });
    const refund = partnerRefund(payment, { id: 'rfnd_theirs' });
    await shop.sendPartner(partnerEvent('refund.processed', { payment, refund }));
    await shop.sendPartner(partnerEvent('payment.captured', { payment }, { created_at: at }));
    assert.deepEqual((await outcomeOf(order.order_id)).refunds, ['succeeded 118']);
  });
});

test('a refund that the provider refuses has failed, and is not repeated by itself', async () => {
  sent.length = 0;
  const order = await createLapsed();
  const id = `pay_refused`;
  await shop.sendPartner(captureAt(order, order.lapsedAt + 10, { id }));
  await work();
  const { order: status, refunds, flags } = await outcomeOf(order.order_id);
  assert.deepEqual([status, refunds, flags], ['lapsed', ['failed 118'], refunded.flags]);
  for (let round = 0; round < 3; round += 1) {
    service.advanceSeconds(3_600);
    await work();
  }
  assert.equal(sent.filter(({ path }) => path.includes(id)).length, 1);
  const reply = await service.call('/api/v3/refund', {
    token: await shop.freshToken(),
    body: { invoice_id: order.invoice_id },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
});

test('of a large order, which is loaded in part, the late payment alone is refunded', async () => {
  const order = await shop.createOrder();
  const many = paymentLimits.transactionsLoadedMax + 5;
  const notes = { svc_order_id: order.order_id };
  const at = Math.floor(service.services.clock().getTime() / 1_000) - 3_600;
  for (let index = 0; index < many; index += 1) {
    const payment = partnerPayment({
      id: `pay_L${index}`,
      status: 'failed',
      captured: false,
      notes,
    });
    await shop.sendPartner(partnerEvent('payment.failed', { payment }, { created_at: at + index }));
  }
  // In time: the fifteenth attempt had not failed yet.
  const early = await shop.sendPartner(captureAt(order, at + 13, { id: 'pay_early', amount: 100 }));
  assert.equal(early.status, 200);
  assert.deepEqual(await refundsOf(order.order_id), []);
  await shop.sendPartner(captureAt(order, at + 500, { id: 'pay_late' }));
  const { order: status, refunds } = await outcomeOf(order.order_id);
  assert.deepEqual([status, refunds], ['lapsed', ['pending 118']]);
  assert.equal(await rebuild(order.order_id), 'same');
});

test('why: the flag and the request say that the account refunds late payments', async () => {
  const order = await createLapsed();
  await shop.sendPartner(captureAt(order, order.lapsedAt + 10));
  const key = { accountId: shop.account.accountId, orderId: order.order_id };
  const why = await explainOrder(service.services, key, { masked: true });
  const fields = why?.transactions.flatMap(({ fields: own }) => own) ?? [];
  const flags = fields.flatMap((field) => field.flags ?? []);
  const rulesOf = (name: string) =>
    fields.filter(({ field }) => field === name).map(({ rule }) => rule);
  assert.deepEqual(
    flags.map(({ flag, rule }) => [flag, rule]),
    [['refunded_late_payment', 'late-payment']],
  );
  assert.deepEqual(rulesOf('refund_request_id'), ['late-payment']);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function rebuild(orderId: string) {
  return rebuildOrder(service.services, shop.account.accountId, orderId, commandLine);
}
