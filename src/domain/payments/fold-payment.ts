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
  matchesExpected,
  type Payment,
  type StoredPaymentNotice,
  withFlags,
} from './transaction.ts';
import { authorizedSince, type UnfoldedPayment, weighPayment } from './weigh-payment.ts';

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

/** The flags that follow from the payment and the order's amount alone. Contract 4.3, 4.4, 4.9, 4.17. */
function ownFlags(
  payment: Payment,
  { isPartial, isFeeUnknown }: { readonly isPartial: boolean; readonly isFeeUnknown: boolean },
  expected: Expected,
): ReviewFlag[] {
  const { status, captures, currency } = payment;
  if (status === 'reversed' || status === 'reversing') return ['payment_reversed'];
  const isCaptured = status === 'succeeded';
  if (!isCaptured && captures?.some((capture) => capture.status === 'voided')) {
    return ['payment_reversed'];
  }
  const isChecked = isCaptured || (status === 'authorized' && captures === null);
  if (!isChecked || (matchesExpected(payment, expected) && !isPartial)) return [];
  if (currency !== expected.currency) return ['currency_mismatch'];
  if (isPartial) return ['partially_captured'];
  // The fee of an authorisation is known when it is captured. Until then only too little is wrong.
  const mayMatch = !isCaptured && isFeeUnknown && (payment.amount ?? 0) >= expected.total;
  return mayMatch ? [] : ['amount_mismatch'];
}
