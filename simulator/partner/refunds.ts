/** Refunds at the partner: accepted immediately, processed or failed a little later. */
import { behaviourOf } from '../behaviours.ts';
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PartnerShop } from '../shops.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import { partnerEvent } from './events.ts';
import { referencesOf } from './payments.ts';
import { badRequest } from './refusals.ts';
import { type PartnerPayment, type PartnerRefund, type PartnerState, refundsOf } from './state.ts';

export type RefundRequest = Pick<
  PartnerRefund,
  'receipt' | 'notes' | 'speed' | 'request' | 'idempotencyKey'
> & { readonly amount: number | undefined };

const processedAfterMs = 1_000;

export function startPartnerRefund(
  world: World,
  state: PartnerState,
  shop: PartnerShop,
  payment: PartnerPayment,
  wished: RefundRequest,
): PartnerRefund {
  const known = findRepeat(state, shop, wished);
  if (known) return known;

  const left = payment.amount - payment.amountRefunded;
  const amount = wished.amount ?? left;
  if (payment.status !== 'captured') {
    throw badRequest('The payment status should be captured for action to be taken');
  }
  if (left === 0) throw badRequest('The payment has been fully refunded already');
  if (amount > left) {
    throw badRequest('The total refund amount is greater than the refund payment amount');
  }
  const count = refundsOf(state, payment.id).length;
  const refund: PartnerRefund = {
    ...wished,
    id: `rfnd_${idOf(world.seed, `refund:${payment.id}:${count}`, 14)}`,
    paymentId: payment.id,
    amount,
    currency: payment.currency,
    status: 'pending',
    createdAt: Math.floor(world.now() / 1000),
  };
  const scenario = world.scenarios.of(refundReferences(state, payment, wished));
  saveRefund(world, state, shop, refund, scenario);
  world.schedule.run(async () => {
    await world.schedule.wait(processedAfterMs);
    saveRefund(world, state, shop, { ...refund, status: behaviourOf(scenario).refund }, scenario);
  });
  return refund;
}

/** The references of the refund come first, then those of its payment. */
export function refundReferences(
  state: PartnerState,
  payment: PartnerPayment,
  { receipt, notes }: Pick<RefundRequest, 'receipt' | 'notes'>,
): string[] {
  const order = state.orders.get(payment.orderId);
  const own = texts(notes.svc_transaction_id, receipt, notes.refund_request_id, notes.svc_order_id);
  return [...own, payment.id, ...(order ? referencesOf(order) : [])];
}

function findRepeat(
  state: PartnerState,
  shop: PartnerShop,
  { idempotencyKey, request }: RefundRequest,
): PartnerRefund | undefined {
  if (idempotencyKey === undefined) return undefined;
  const known = [...state.refunds.values()].find(
    (refund) =>
      refund.idempotencyKey === idempotencyKey &&
      state.payments.get(refund.paymentId)?.keyId === shop.keyId,
  );
  if (known && known.request !== request) {
    throw badRequest('Different request body sent with the same idempotency key');
  }
  return known;
}

function saveRefund(
  world: World,
  state: PartnerState,
  shop: PartnerShop,
  refund: PartnerRefund,
  scenario: Scenario,
): void {
  const payment = state.payments.get(refund.paymentId);
  if (!payment) return;
  state.refunds.set(refund.id, refund);
  const refunded = { ...payment, amountRefunded: amountRefunded(state, payment.id) };
  state.payments.set(payment.id, refunded);
  const event = refund.status === 'pending' ? 'refund.created' : `refund.${refund.status}`;
  world.log(`partner: refund ${refund.id} ${refund.status}, ${amountText(refund)}`);
  world.webhooks.post(
    payment.id,
    [partnerEvent(world, shop, event, { payment: refunded, refund })],
    scenario,
  );
}

/** The amount of a failed refund can be refunded again. */
function amountRefunded(state: PartnerState, paymentId: string): number {
  return refundsOf(state, paymentId)
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}
