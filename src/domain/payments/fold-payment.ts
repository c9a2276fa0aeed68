/**
 * Derives the state of a payment from its notices, including captures and voids. The highest status and the captured
 * amount decide, never the notice that arrived last. Contract 4.2, 4.8 to 4.11.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { explainPayment } from './explain-captures.ts';
import { commonFields, pick } from './fold.ts';
import { findHighest, type Ranking, type Trace } from './ranking.ts';
import { isCapture } from './records.ts';
import {
  type Expected,
  type Hold,
  matchesExpected,
  type Payment,
  type StoredPaymentNotice,
  withFlags,
} from './transaction.ts';
import {
  authorizedSince,
  type UnfoldedPayment,
  type WeighedPayment,
  weighPayment,
} from './weigh-payment.ts';

/**
 * `ordersCreatedHere`: the provider's ids of the orders that this service created there for the order. `trace` takes
 * what set each field.
 */
export function foldPayment(
  payment: UnfoldedPayment,
  expected: Expected,
  ordersCreatedHere: ReadonlySet<string> = new Set(),
  trace?: Trace,
): Payment {
  const weighed = weighPayment(payment, expected, trace);
  const { all, authorized, money, ranking } = weighed;
  const { status } = money;
  const common = commonFields(ranking, status, payment.start);
  const customerFee = pick(ranking, 'customerFee');
  // The fields are listed because this runs for every delivery, and object spread would be slower.
  const folded: Payment = {
    type: 'payment',
    transactionId: payment.transactionId,
    provider: payment.provider,
    start: payment.start,
    pspTransactionId: payment.pspTransactionId,
    amount: money.amount ?? authorized ?? pick(ranking, 'amount', isCapture),
    currency: money.currency ?? pick(ranking, 'currency'),
    startedAtMs: common.startedAtMs,
    recordedAtMs: common.recordedAtMs,
    finishedAtMs: money.finishedAtMs ?? common.finishedAtMs,
    message: common.message,
    failure: common.failure,
    flags: common.flags,
    status,
    paymentMode: pick(ranking, 'paymentMode'),
    subPaymentMode: pick(ranking, 'subPaymentMode'),
    paymentArn: pick(ranking, 'paymentArn'),
    paymentAcquirer: pick(ranking, 'paymentAcquirer'),
    customerFee,
    offerId: pick(ranking, 'offerId'),
    offerDiscount: null,
    captures: payment.captures,
    voided: payment.voided,
    capturedLimit: payment.capturedLimit,
    unknownRefunds: null,
    disputes: null,
    hold: decideHold(payment, weighed, common.startedAtMs),
    operations: null,
    partialCapture: money.partialCapture ?? null,
    authorizedAtMs: status === 'authorized' ? authorizedSince(all) : null,
    notices: payment.notices,
  };
  const offerDiscount = decideDiscount(folded, ranking, expected, ordersCreatedHere);
  const known = offerDiscount === null ? folded : { ...folded, offerDiscount };
  if (trace) explainPayment(known, weighed);
  const isFeeUnknown =
    customerFee === null && findHighest(ranking, 'hasUnknownFee')?.hasUnknownFee === true;
  const own = ownFlags(known, { isPartial: money.isPartial === true, isFeeUnknown }, expected);
  return own.length === 0 ? known : { ...known, flags: withFlags(known.flags, own) };
}

const dayMs = 24 * 3600 * 1_000;

/** It stays when the payment is captured or released, so that the enquiry can still tell about it. Contract 16.6. */
function decideHold(
  { start, captures }: UnfoldedPayment,
  { all, authorized, money: { status } }: WeighedPayment,
  startedAtMs: number | null,
): Hold | null {
  if (start?.holdDays === undefined) return null;
  const isAuthorized = captures !== null || !['new', 'pending', 'failed'].includes(status);
  const atMs = authorizedSince(all) ?? startedAtMs;
  if (!isAuthorized || authorized === null || atMs === null) return null;
  return { amount: authorized, atMs, expiresAtMs: atMs + start.holdDays * dayMs };
}

/**
 * The discount of an offer is what is missing to the amount of the order. Anybody can name an offer and our order, so it
 * counts only if the provider's order has that amount: the delivery has it, or this service created it. Contract 4.11.
 */
function decideDiscount(
  payment: Payment,
  ranking: Ranking<StoredPaymentNotice>,
  expected: Expected,
  ordersCreatedHere: ReadonlySet<string>,
): MinorUnits | null {
  const { offerId, amount, currency } = payment;
  if (offerId === null || amount === null || currency !== expected.currency) return null;
  const net = amount - (payment.customerFee ?? 0);
  const ofAmount = findHighest(ranking, 'providerOrderAmount');
  const isOfCreated = ranking.highestFirst.some(({ names }) =>
    ordersCreatedHere.has(names?.providerOrderId ?? ''),
  );
  const isVouchedFor = ofAmount ? ofAmount.providerOrderAmount === expected.total : isOfCreated;
  return isVouchedFor && net < expected.total ? expected.total - net : null;
}

/** Something that looked like money is none any more. */
export function isTakenBack({ status, captures }: Pick<Payment, 'status' | 'captures'>): boolean {
  if (status === 'reversed' || status === 'reversing') return true;
  return status !== 'succeeded' && captures?.some((each) => each.status === 'voided') === true;
}

/** The flags that follow from the payment and the order's amount alone. Contract 4.3, 4.4, 4.9, 4.17. */
function ownFlags(
  payment: Payment,
  { isPartial, isFeeUnknown }: { readonly isPartial: boolean; readonly isFeeUnknown: boolean },
  expected: Expected,
): ReviewFlag[] {
  const { status, captures, currency } = payment;
  if (isTakenBack(payment)) return ['payment_reversed'];
  const isCaptured = status === 'succeeded';
  const isChecked = isCaptured || (status === 'authorized' && captures === null);
  if (!isChecked || (matchesExpected(payment, expected) && !isPartial)) return [];
  if (currency !== expected.currency) return ['currency_mismatch'];
  if (isPartial) return ['partially_captured'];
  // The fee of an authorisation is known when it is captured. Until then only too little is wrong.
  const mayMatch = !isCaptured && isFeeUnknown && (payment.amount ?? 0) >= expected.total;
  return mayMatch ? [] : ['amount_mismatch'];
}
