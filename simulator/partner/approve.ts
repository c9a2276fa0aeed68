/** What happens at the partner after the bank's approval: authorized, then captured or not. */
import { behaviourOf } from '../behaviours.ts';
import { idOf } from '../random.ts';
import { type Approval, capture, hold, release } from './captures.ts';
import { partnerEvent } from './events.ts';
import { feeOf } from './records.ts';
import type { PartnerOrder, PartnerPayment } from './state.ts';

/** Hours or days at the real partner; short enough here for delayed webhooks to arrive out of order. */
const laterMs = 10_000;

export function approve(
  approval: Approval,
  order: PartnerOrder,
  attempted: PartnerPayment,
  wasFailed = false,
): PartnerPayment {
  const course = behaviourOf(approval.scenario).partner;
  const approved: PartnerPayment = {
    ...attempted,
    status: 'authorized',
    failureReason: null,
    wasFailed,
  };
  switch (course) {
    case 'captured-later':
      return holdUntilLater(approval, approved, capture);
    case 'released':
      return holdUntilLater(approval, approved, release);
    case 'captured':
    case 'discounted':
    case 'charged-fee': {
      const payment = priced(approval, order, approved);
      if (order.capture?.mode === 'manual') return hold(approval, payment);
      const { world, shop } = approval;
      return capture(approval, payment, [
        partnerEvent(world, shop, 'payment.authorized', { payment }),
      ]);
    }
    default:
      return course satisfies never;
  }
}

/** Nothing follows if the shop captured the payment in the meantime, or the hold has ended. */
function holdUntilLater(
  approval: Approval,
  payment: PartnerPayment,
  follow: (approval: Approval, payment: PartnerPayment) => PartnerPayment,
): PartnerPayment {
  const { world, state, scenario } = approval;
  world.schedule.run(async () => {
    await world.schedule.wait(laterMs, scenario.delayMs);
    const current = state.payments.get(payment.id);
    if (current?.status === 'authorized') follow(approval, current);
  });
  return hold(approval, payment);
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
