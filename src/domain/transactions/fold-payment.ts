/**
 * Derives the state of a payment from its notices, including captures and voids. The highest status and the captured
 * amount decide, never the notice that arrived last. Contract 4.2, 4.8 to 4.11.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { commonFields } from './fold.ts';
import { type Expected, isFinal, matchesExpected, type Payment, withFlags } from './transaction.ts';
import { authorizedSince, isCapture, type UnfoldedPayment, weighPayment } from './weigh-payment.ts';

export type { UnfoldedPayment } from './weigh-payment.ts';

export function foldPayment(payment: UnfoldedPayment, expected: Expected): Payment {
  const { start, captures } = payment;
  const { all, authorized, money, notices, ranked } = weighPayment(payment, expected);
  const { status } = money;
  const common = commonFields(notices, ranked, status);
  const { pick } = ranked;
  const amount = money.amount ?? authorized ?? pick('amount', isCapture);
  const currency = money.currency ?? common.currency;
  const customerFee = pick('customerFee');
  const offerId = pick('offerId');
  const offer = { amount, currency, customerFee, offerId, offerDiscount: pick('offerDiscount') };
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
    offerDiscount: discountOf(offer, expected),
    captures,
    voided: payment.voided,
    partialCapture: money.partialCapture,
    authorizedAtMs: status === 'authorized' ? authorizedSince(all) : null,
    notices: payment.notices,
  };
  const own = ownFlags(folded, money.isPartial === true, expected);
  return own.length === 0 ? folded : { ...folded, flags: withFlags(folded.flags, own) };
}

/** If only the offer is known, its discount is the difference between the order's amount and the payment. Contract 4.11. */
function discountOf(
  offer: Pick<Payment, 'offerId' | 'offerDiscount' | 'amount' | 'currency' | 'customerFee'>,
  expected: Expected,
): MinorUnits | null {
  const { offerId, offerDiscount, amount, currency, customerFee } = offer;
  if (offerDiscount !== null || offerId === null || amount === null) return offerDiscount;
  const difference = expected.total - (amount - (customerFee ?? 0));
  return currency === expected.currency && difference > 0 ? difference : null;
}

/** The flags that follow from the payment and the order's amount alone. Contract 4.3, 4.4, 4.9. */
function ownFlags(payment: Payment, isPartial: boolean, expected: Expected): ReviewFlag[] {
  const { status, captures, currency } = payment;
  if (status === 'reversed' || status === 'reversing') return ['payment_reversed'];
  const isCaptured = status === 'succeeded';
  if (!isCaptured && captures?.some((capture) => capture.status === 'voided')) {
    return ['payment_reversed'];
  }
  const isChecked = isCaptured || (status === 'authorized' && captures === null);
  if (!isChecked || matchesExpected(payment, expected)) return [];
  if (currency !== expected.currency) return ['currency_mismatch'];
  return [isPartial ? 'partially_captured' : 'amount_mismatch'];
}
