/** A payment that the bank has approved: held until it is captured or released. */
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PartnerShop } from '../shops.ts';
import type { Webhook } from '../webhook-sender.ts';
import type { World } from '../world.ts';
import { manualMinutesMax } from './capture-settings.ts';
import { raiseDisputes } from './disputes.ts';
import { partnerEvent } from './events.ts';
import type { PartnerPayment, PartnerRefund, PartnerState } from './state.ts';

/** What every step after the bank's approval needs. */
export type Approval = {
  readonly world: World;
  readonly state: PartnerState;
  readonly shop: PartnerShop;
  readonly scenario: Scenario;
};

/** Leaves the payment authorized: the money is reserved but not captured. */
export function hold(approval: Approval, approved: PartnerPayment): PartnerPayment {
  const { world, state, shop, scenario } = approval;
  const { holdMinutes = manualMinutesMax } = state.orders.get(approved.orderId)?.capture ?? {};
  const payment = { ...approved, holdEndsAt: world.now() + holdMinutes * 60_000 };
  state.payments.set(payment.id, payment);
  world.log(`partner: payment ${payment.id} authorized, ${amountText(payment)}`);
  const event = partnerEvent(world, shop, 'payment.authorized', { payment });
  world.webhooks.post(payment.id, [event], scenario);
  return payment;
}

/** The webhooks that were not sent yet go before those of the capture. */
export function capture(
  approval: Approval,
  authorized: PartnerPayment,
  before: readonly Webhook[] = [],
): PartnerPayment {
  const { world, state, shop, scenario } = approval;
  const payment: PartnerPayment = { ...authorized, status: 'captured' };
  state.payments.set(payment.id, payment);
  moveMoney(world, payment);
  const order = state.orders.get(payment.orderId);
  if (!order) return payment;
  const paid = { ...order, isPaid: true, offerId: payment.offerId };
  state.orders.set(order.id, paid);
  world.log(`partner: payment ${payment.id} captured, ${amountText(payment)}`);
  world.webhooks.post(
    payment.id,
    [
      ...before,
      partnerEvent(world, shop, 'payment.captured', { payment }),
      partnerEvent(world, shop, 'order.paid', { payment, order: paid }),
    ],
    scenario,
  );
  raiseDisputes(approval, scenario, payment);
  return payment;
}

/**
 * An authorisation that was not captured in time is released. The partner reports that as a refund, although no money
 * was taken.
 */
export function release(
  { world, state, shop, scenario }: Approval,
  authorized: PartnerPayment,
): PartnerPayment {
  const { id: paymentId, amount, currency } = authorized;
  const payment: PartnerPayment = { ...authorized, status: 'released', amountRefunded: amount };
  const refund: PartnerRefund = {
    id: `rfnd_${idOf(world.seed, `release:${paymentId}`, 14)}`,
    paymentId,
    amount,
    currency,
    receipt: null,
    notes: {},
    status: 'processed',
    speed: 'normal',
    createdAt: Math.floor(world.now() / 1000),
    isRelease: true,
    request: '',
    idempotencyKey: undefined,
  };
  state.payments.set(paymentId, payment);
  state.refunds.set(refund.id, refund);
  world.log(`partner: payment ${paymentId} released, ${amountText(payment)}`);
  const event = partnerEvent(world, shop, 'refund.processed', { payment, refund });
  world.webhooks.post(paymentId, [event], scenario);
  return payment;
}

function moveMoney(
  world: World,
  { id, notes, amount, currency, wasFailed = false }: PartnerPayment,
): void {
  const reference = String(notes.svc_transaction_id ?? '');
  const payment = { provider: 'partner', paymentId: id, id, reference } as const;
  world.money.move({ ...payment, kind: 'captured', isAfterFailure: wasFailed, amount, currency });
}
