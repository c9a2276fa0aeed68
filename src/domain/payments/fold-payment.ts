/**
 * Derives the state of a payment from its notices, including captures and voids. The highest status and the captured
 * amount decide, never the notice that arrived last. Contract 4.2, 4.8 to 4.11.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { commonFields, type Folded } from './fold.ts';
import {
  type Expected,
  isFinal,
  matchesExpected,
  type Payment,
  type StoredPaymentNotice,
  withFlags,
} from './transaction.ts';
import { authorizedSince, isCapture, type UnfoldedPayment, weighPayment } from './weigh-payment.ts';

export type { UnfoldedPayment } from './weigh-payment.ts';

/** `ordersCreatedHere`: the provider's ids of the orders that this service created there for the order. */
export function foldPayment(
  payment: UnfoldedPayment,
  expected: Expected,
  ordersCreatedHere: ReadonlySet<string> = new Set(),
): Payment {
  const { start, captures } = payment;
  const { all, authorized, money, notices, ranked } = weighPayment(payment, expected);
  const { status } = money;
  const common = commonFields(notices, ranked, status);
  const { pick } = ranked;
  const amount = money.amount ?? authorized ?? pick('amount', isCapture);
  const currency = money.currency ?? common.currency;
  const customerFee = pick('customerFee');
  const offerId = pick('offerId');
  // The fields are listed because this runs for every delivery, and object spread would be slower.
  const folded: Payment = {
    type: 'payment',
    transactionId: payment.transactionId,
    provider: payment.provider,
    start,
    pspTransactionId: payment.pspTransactionId,
    amount,
    currency,
    startedAtMs: start?.atMs ?? common.startedAtMs,
    recordedAtMs: common.recordedAtMs,
    finishedAtMs: isFinal(status) ? (money.finishedAtMs ?? common.finishedAtMs) : null,
    message: common.message,
    failure: common.failure,
    flags: common.flags,
    status,
    paymentMode: pick('paymentMode'),
    subPaymentMode: pick('subPaymentMode'),
    paymentArn: pick('paymentArn'),
    paymentAcquirer: pick('paymentAcquirer'),
    customerFee,
    offerId,
    offerDiscount: null,
    captures,
    voided: payment.voided,
    capturedLimit: payment.capturedLimit,
    unknownRefunds: null,
    partialCapture: money.partialCapture,
    authorizedAtMs: status === 'authorized' ? authorizedSince(all) : null,
    notices: payment.notices,
  };
  const offerDiscount = decideDiscount(folded, ranked, expected, ordersCreatedHere);
  const known = offerDiscount === null ? folded : { ...folded, offerDiscount };
  const isFeeUnknown = customerFee === null && pick('hasUnknownFee') === true;
  const own = ownFlags(known, { isPartial: money.isPartial === true, isFeeUnknown }, expected);
  return own.length === 0 ? known : { ...known, flags: withFlags(known.flags, own) };
}

/**
 * The discount of an offer is what is missing to the amount of the order. Anybody can name an offer and our order, so it
 * counts only if the provider's order has that amount: the delivery has it, or this service created it. Contract 4.11.
 */
function decideDiscount(
  payment: Payment,
  { pick, highestFirst }: Folded<StoredPaymentNotice>,
  expected: Expected,
  ordersCreatedHere: ReadonlySet<string>,
): MinorUnits | null {
  const { offerId, amount, currency } = payment;
  if (offerId === null || amount === null || currency !== expected.currency) return null;
  const net = amount - (payment.customerFee ?? 0);
  const orderAmount = pick('providerOrderAmount');
  const isOfCreated = highestFirst.some(({ names }) =>
    ordersCreatedHere.has(names?.providerOrderId ?? ''),
  );
  const isVouchedFor = orderAmount === null ? isOfCreated : orderAmount === expected.total;
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
