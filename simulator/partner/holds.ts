/** What ends a hold besides a call of the shop: the partner's own pages, and time. */
import type { PartnerShop } from '../shops.ts';
import type { World } from '../world.ts';
import { type Approval, capture, release } from './captures.ts';
import { type PartnerPayment, type PartnerState, referencesOf } from './state.ts';

/** Undefined unless the payment is captured whole: the partner takes no part of a hold. */
export function captureAtPartnerDashboard(
  world: World,
  state: PartnerState,
  paymentId: string,
  amount: number | undefined,
): Promise<PartnerPayment | undefined> {
  return withHold(world, state, paymentId, (approval, payment) =>
    (amount ?? payment.amount) === payment.amount ? capture(approval, payment) : undefined,
  );
}

/** Ends a hold now that would end in days. */
export function expirePartnerHold(
  world: World,
  state: PartnerState,
  paymentId: string,
): Promise<PartnerPayment | undefined> {
  return withHold(world, state, paymentId, release);
}

/**
 * The payment as it is now. A hold ends when somebody looks at it: a timer of five days would be one that everybody who
 * waits for the simulator waits for.
 */
export function asOfNow(
  world: World,
  state: PartnerState,
  shop: PartnerShop,
  payment: PartnerPayment,
): PartnerPayment {
  const { status, holdEndsAt = Number.POSITIVE_INFINITY } = payment;
  const isOver = status === 'authorized' && holdEndsAt <= world.now();
  return isOver ? release(approvalOf(world, state, shop, payment), payment) : payment;
}

export function approvalOf(
  world: World,
  state: PartnerState,
  shop: PartnerShop,
  { id, orderId }: PartnerPayment,
): Approval {
  const order = state.orders.get(orderId);
  const references = order ? referencesOf(order) : [];
  return { world, state, shop, scenario: world.scenarios.of([...references, id]) };
}

async function withHold(
  world: World,
  state: PartnerState,
  paymentId: string,
  end: (approval: Approval, payment: PartnerPayment) => PartnerPayment | undefined,
): Promise<PartnerPayment | undefined> {
  const shop = await world.shops.findPartner(state.payments.get(paymentId)?.keyId ?? '');
  const known = state.payments.get(paymentId);
  if (!shop || !known) return undefined;
  const payment = asOfNow(world, state, shop, known);
  if (payment.status !== 'authorized') return undefined;
  return end(approvalOf(world, state, shop, payment), payment);
}
