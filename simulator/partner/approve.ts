/** What happens at the partner after the bank's approval: authorized, then captured or not. */
import { behaviourOf } from '../behaviours.ts';
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PartnerShop } from '../shops.ts';
import type { World } from '../world.ts';
import { raiseDisputes } from './disputes.ts';
import { partnerEvent } from './events.ts';
import { feeOf } from './records.ts';
import type { PartnerOrder, PartnerPayment, PartnerRefund, PartnerState } from './state.ts';

/** What every step after the bank's approval needs. */
export type Approval = {
  readonly world: World;
  readonly state: PartnerState;
  readonly shop: PartnerShop;
  readonly scenario: Scenario;
};

/** Hours or days at the real partner; short enough here for delayed webhooks to arrive out of order. */
const laterMs = 10_000;

export function approve(
  approval: Approval,
  order: PartnerOrder,
  attempted: PartnerPayment,
  isAfterFailure = false,
): PartnerPayment {
  const course = behaviourOf(approval.scenario).partner;
  const approved: PartnerPayment = { ...attempted, status: 'authorized', failureReason: null };
  switch (course) {
    case 'captured-later':
      later(approval, () => capture(approval, approved, [], isAfterFailure));
      return hold(approval, approved);
    case 'released':
      later(approval, () => release(approval, approved));
      return hold(approval, approved);
    case 'captured':
    case 'discounted':
    case 'charged-fee': {
      const payment = priced(approval, order, approved);
      if (order.capture === 'manual') return hold(approval, payment);
      const authorized = eventOf(approval, 'payment.authorized', payment);
      return capture(approval, payment, [authorized], isAfterFailure);
    }
    default:
      return course satisfies never;
  }
}

/** Leaves the payment authorized: the money is reserved but not captured. */
function hold(approval: Approval, payment: PartnerPayment): PartnerPayment {
  const { world, state, scenario } = approval;
  state.payments.set(payment.id, payment);
  world.log(`partner: payment ${payment.id} authorized, ${amountText(payment)}`);
  const event = eventOf(approval, 'payment.authorized', payment);
  world.webhooks.post(payment.id, [event], scenario);
  return payment;
}

function capture(
  approval: Approval,
  authorized: PartnerPayment,
  before: readonly ReturnType<typeof eventOf>[],
  isAfterFailure: boolean,
): PartnerPayment {
  const { world, state, shop, scenario } = approval;
  const payment: PartnerPayment = { ...authorized, status: 'captured' };
  state.payments.set(payment.id, payment);
  moveMoney(approval, payment, isAfterFailure);
  const order = state.orders.get(payment.orderId);
  if (!order) return payment;
  const paid = { ...order, isPaid: true, offerId: payment.offerId };
  state.orders.set(order.id, paid);
  world.log(`partner: payment ${payment.id} captured, ${amountText(payment)}`);
  world.webhooks.post(
    payment.id,
    [
      ...before,
      eventOf(approval, 'payment.captured', payment),
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
function release({ world, state, shop, scenario }: Approval, authorized: PartnerPayment): void {
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
}

function moveMoney(
  { world }: Approval,
  { id, notes, amount, currency }: PartnerPayment,
  isAfterFailure: boolean,
): void {
  const reference = String(notes.svc_transaction_id ?? '');
  const payment = { provider: 'partner', paymentId: id, id, reference } as const;
  world.money.move({ ...payment, kind: 'captured', isAfterFailure, amount, currency });
}

/**
 * With an offer of 10 % off, the consumer pays less than the order's amount, and the shop gets less. With a fee on top
 * they pay more.
 */
function priced(
  { world, scenario }: Approval,
  { amount }: PartnerOrder,
  payment: PartnerPayment,
): PartnerPayment {
  const course = behaviourOf(scenario).partner;
  if (course === 'charged-fee') {
    const fee = feeOf(amount);
    return { ...payment, amount: amount + fee, fee };
  }
  if (course !== 'discounted') return payment;
  const discount = Math.floor(amount / 10);
  const offerId = `offer_${idOf(world.seed, `offer:${payment.keyId}`, 14)}`;
  return { ...payment, amount: amount - discount, discount, offerId };
}

function eventOf({ world, shop }: Approval, event: string, payment: PartnerPayment) {
  return partnerEvent(world, shop, event, { payment });
}

function later({ world, scenario }: Approval, work: () => void): void {
  world.schedule.run(async () => {
    await world.schedule.wait(laterMs, scenario.delayMs);
    work();
  });
}
