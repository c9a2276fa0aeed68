/** What happens at the partner when the consumer acts on the payment page, or answers an intent in their UPI app. */
import { idOf } from '../random.ts';
import { type Action, decideOutcome } from '../scenarios.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import { approve } from './approve.ts';
import type { Approval } from './captures.ts';
import { partnerEvent } from './events.ts';
import {
  countTries,
  isTaken,
  type PartnerOrder,
  type PartnerPayment,
  type PartnerState,
  referencesOf,
} from './state.ts';

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
  return act({ world, state, shop }, order, newAttempt(world, state, order), action);
}

/** Undefined for an unknown intent, one that is answered, or one whose order is paid or authorized. */
export async function answerIntent(
  world: World,
  state: PartnerState,
  paymentId: string,
  action: Action,
): Promise<PartnerPayment | undefined> {
  const shop = await world.shops.findPartner(state.payments.get(paymentId)?.keyId ?? '');
  const payment = state.payments.get(paymentId);
  const order = state.orders.get(payment?.orderId ?? '');
  if (payment?.status !== 'created' || !order || !shop || isTaken(state, order)) return undefined;
  return act({ world, state, shop }, order, payment, action);
}

function act(
  parties: Omit<Approval, 'scenario'>,
  order: PartnerOrder,
  payment: PartnerPayment,
  action: Action,
): PartnerPayment {
  const { world, state } = parties;
  const scenario = world.scenarios.of(referencesOf(order));
  const outcome = decideOutcome(scenario, action, countTries(state, order.id));
  const isCancelled = outcome === 'cancelled';
  const reason = isCancelled ? 'payment_cancelled' : (scenario.reason ?? 'insufficient_funds');
  const approval = { ...parties, scenario };
  if (action === 'pay-from-another' && order.bankAccount) {
    const failureReason = 'bank_account_validation_failed';
    return fail(approval, { ...payment, status: 'failed', failureReason });
  }
  if (outcome === 'paid') return approve(approval, order, payment);
  if (outcome === 'declined-then-paid') approveLater(approval, payment);
  return fail(approval, { ...payment, status: 'failed', failureReason: reason.toLowerCase() });
}

/** The payment is stored when the consumer has acted; its order counts it from now on. */
export function newAttempt(world: World, state: PartnerState, order: PartnerOrder): PartnerPayment {
  const { id: orderId, keyId, amount, currency, attempts, checkout, bankAccount } = order;
  state.orders.set(orderId, { ...order, attempts: attempts + 1 });
  const notes = { ...order.notes, ...checkout.notes };
  return {
    id: `pay_${idOf(world.seed, `payment:${orderId}:${attempts}`, 14)}`,
    orderId,
    keyId,
    amount,
    currency,
    status: 'failed',
    method: texts(order.method, checkout.method, notes.method)[0] ?? 'upi',
    ...(bankAccount && { bank: bankAccount.ifsc.slice(0, 4) }),
    notes,
    createdAt: Math.floor(world.now() / 1000),
    amountRefunded: 0,
    discount: 0,
    fee: 0,
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
    if (order && !isTaken(state, order)) approve(approval, order, payment, true);
  });
}
