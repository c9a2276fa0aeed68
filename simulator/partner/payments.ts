/** What happens at the partner when the consumer acts on the payment page. */
import { idOf } from '../random.ts';
import { type Action, decideOutcome } from '../scenarios.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import type { Approval } from './approval.ts';
import { approve } from './approve.ts';
import { partnerEvent } from './events.ts';
import { isTaken, type PartnerOrder, type PartnerPayment, type PartnerState } from './state.ts';

/** The delay after which a payment that was reported as failed succeeds. */
const lateAfterMs = 60_000;

/** Undefined for an unknown order, or one that is paid or authorized. */
export async function actAtPartner(
  world: World,
  state: PartnerState,
  orderId: string,
  action: Action,
): Promise<PartnerPayment | undefined> {
  const shop = await world.shops.findPartner(state.orders.get(orderId)?.keyId ?? '');
  const order = state.orders.get(orderId);
  if (!order || !shop || isTaken(state, order)) return undefined;

  const scenario = world.scenarios.of(referencesOf(order));
  const outcome = decideOutcome(scenario, action, order.attempts);
  const payment = attempt(world, order);
  const isCancelled = outcome === 'cancelled';
  const reason = isCancelled ? 'payment_cancelled' : (scenario.reason ?? 'insufficient_funds');
  state.orders.set(order.id, { ...order, attempts: order.attempts + 1 });

  const approval = { world, state, shop, scenario };
  if (outcome === 'paid') return approve(approval, order, payment);
  if (outcome === 'declined-then-paid') approveLater(approval, payment);
  return fail(approval, { ...payment, failureReason: reason.toLowerCase() });
}

export function referencesOf({ notes, checkout, receipt, id }: PartnerOrder): string[] {
  const all = { ...notes, ...checkout.notes };
  return texts(all.svc_transaction_id, receipt, all.svc_order_id, all.order_id, all.invoice_id, id);
}

function attempt(world: World, order: PartnerOrder): PartnerPayment {
  const { id: orderId, keyId, amount, currency, attempts, checkout } = order;
  const notes = { ...order.notes, ...checkout.notes };
  return {
    id: `pay_${idOf(world.seed, `payment:${orderId}:${attempts}`, 14)}`,
    orderId,
    keyId,
    amount,
    currency,
    status: 'failed',
    method: texts(checkout.method, notes.method)[0] ?? 'upi',
    notes,
    createdAt: Math.floor(world.now() / 1000),
    amountRefunded: 0,
    discount: 0,
    failureReason: null,
  };
}

function fail(approval: Approval, payment: PartnerPayment): PartnerPayment {
  const { world, state, shop, scenario } = approval;
  state.payments.set(payment.id, payment);
  world.log(`partner: payment ${payment.id} failed: ${payment.failureReason}`);
  world.webhooks.post(
    payment.id,
    [partnerEvent(world, shop, 'payment.failed', { payment })],
    scenario,
  );
  return payment;
}

function approveLater(approval: Approval, payment: PartnerPayment): void {
  const { world, state, scenario } = approval;
  world.schedule.run(async () => {
    await world.schedule.wait(lateAfterMs, scenario.delayMs);
    const order = state.orders.get(payment.orderId);
    // Another attempt may have paid in the meantime; the consumer must not be charged twice.
    if (order && !isTaken(state, order)) approve(approval, order, payment);
  });
}
