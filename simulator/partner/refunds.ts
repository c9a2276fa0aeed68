/** Refunds at the partner: accepted immediately, processed or failed a little later. */
import { behaviourOf, type RefundBehaviour } from '../behaviours.ts';
import { amountText } from '../money.ts';
import { idOf } from '../random.ts';
import type { Scenario } from '../scenario.ts';
import type { PartnerShop } from '../shops.ts';
import { texts } from '../wire.ts';
import type { World } from '../world.ts';
import { partnerEvent } from './events.ts';
import { badRequest } from './refusals.ts';
import {
  type PartnerPayment,
  type PartnerRefund,
  type PartnerState,
  referencesOf,
  refundsOf,
} from './state.ts';

type RefundRequest = Pick<
  PartnerRefund,
  'receipt' | 'notes' | 'speed' | 'request' | 'idempotencyKey'
> & { readonly amount: number | undefined };

const decidedAfterMs = 1_000;
/** The delay after which a refund that was reported as failed is made. */
const lateAfterMs = 60_000;

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
    await world.schedule.wait(decidedAfterMs);
    const [first, then] = statusesOf(behaviourOf(scenario).refund);
    saveRefund(world, state, shop, { ...refund, status: first }, scenario);
    if (then === undefined) return;
    await world.schedule.wait(lateAfterMs, scenario.delayMs);
    const { amount: paid = 0, amountRefunded: refunded = 0 } = state.payments.get(payment.id) ?? {};
    // What was reported as failed may have been refunded again in the meantime.
    if (amount > paid - refunded) return;
    saveRefund(world, state, shop, { ...refund, status: then }, scenario, true);
  });
  return refund;
}

type Decided = 'processed' | 'failed';

/** A refund at the partner is always one call, so a second one is never declined. */
function statusesOf(behaviour: RefundBehaviour): [Decided, Decided?] {
  if (behaviour === 'failed-then-processed') return ['failed', 'processed'];
  return [behaviour === 'failed' ? 'failed' : 'processed'];
}

/** False if there is not so much left of the payment. */
export async function refundAtPartnerDashboard(
  world: World,
  state: PartnerState,
  paymentId: string,
  amount: number,
): Promise<boolean> {
  const shop = await world.shops.findPartner(state.payments.get(paymentId)?.keyId ?? '');
  const payment = state.payments.get(paymentId);
  if (!shop || payment?.status !== 'captured') return false;
  if (amount > payment.amount - payment.amountRefunded) return false;
  const made = { receipt: null, notes: {}, speed: 'normal', request: '' };
  startPartnerRefund(world, state, shop, payment, { ...made, amount, idempotencyKey: undefined });
  return true;
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
  isAfterFailure = false,
): void {
  const payment = state.payments.get(refund.paymentId);
  if (!payment) return;
  state.refunds.set(refund.id, refund);
  if (refund.status === 'processed') moveMoney(world, refund, isAfterFailure);
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

function moveMoney(
  world: World,
  { id, paymentId, notes, amount, currency }: PartnerRefund,
  isAfterFailure: boolean,
): void {
  const reference = String(notes.svc_transaction_id ?? '');
  const refund = { provider: 'partner', paymentId, id, reference } as const;
  world.money.move({ ...refund, kind: 'refunded', isAfterFailure, amount, currency });
}

/** The amount of a failed refund can be refunded again. */
function amountRefunded(state: PartnerState, paymentId: string): number {
  return refundsOf(state, paymentId)
    .filter(({ status }) => status !== 'failed')
    .reduce((sum, { amount }) => sum + amount, 0);
}
