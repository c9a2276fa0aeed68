/** Decides whether a refund may be made, and of how much. Pure; the order is locked while it decides. */

import { refuseField, ServiceError } from '../errors.ts';
import { findExponent } from '../money/currency.ts';
import { formatAmount, type MinorUnits, parseSentAmount, type SentAmount } from '../money/money.ts';
import { paymentsOf, refundsOf } from './matching.ts';
import { type OrderState, refundedOf, refundSums } from './order-state.ts';
import { findPaymentOf } from './refund-links.ts';
import { netAmount, type Payment, type Refund } from './transaction.ts';

export type WishedRefund = {
  /** The payment to refund; without it the one that paid for the order. */
  readonly transactionId: string | undefined;
  /** Without it all that is available. */
  readonly amount: SentAmount | undefined;
  readonly refundRequestId: string | undefined;
};

export type DecidedRefund =
  | { readonly kind: 'new'; readonly payment: RefundablePayment; readonly amount: MinorUnits }
  /** The same content under the same request id: the refund is there already. Contract 11.9. */
  | { readonly kind: 'repeat'; readonly refund: Refund; readonly paymentTransactionId: string };

export type RefundablePayment = Payment & {
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly pspTransactionId: string;
};

export function decideRefund(orderState: OrderState, wished: WishedRefund): DecidedRefund {
  const repeat = findRepeat(orderState, wished);
  if (repeat) return repeat;
  const payment = choosePayment(orderState, wished.transactionId);
  const available = availableOf(orderState, payment);
  const exponent = findExponent(payment.currency);
  if (exponent === undefined) {
    throw new ServiceError(
      'REFUND_NOT_ALLOWED',
      `The payment is in ${payment.currency}, which is not in the list of ISO 4217: refund it at the provider.`,
    );
  }
  const amount = wished.amount === undefined ? available : readAmount(wished.amount, exponent);
  if (amount > available || available === 0) {
    throw new ServiceError(
      'INVALID_REFUND_AMOUNT',
      `refund_amount may be at most ${formatAmount(available, exponent)} ${payment.currency}: that is what is available for refund.`,
    );
  }
  return { kind: 'new', payment, amount };
}

/** Contract 4.6, 4.11: neither more than the payment took without its fee, nor more than the order has left. */
export function availableOf({ order, transactions }: OrderState, payment: RefundablePayment) {
  const refundedOrPending = refundsOf(transactions)
    .filter((refund) => findPaymentOf(refund, transactions) === payment)
    .reduce((sum, entry) => sum + refundedOf(entry, 'succeeded') + refundedOf(entry, 'pending'), 0);
  const ofPayment = netAmount(payment) - refundedOrPending;
  const { paid, refunded, pending } = refundSums(transactions, order.amounts.currency);
  const ofOrder = paid - refunded - pending;
  const isOrdersCurrency = payment.currency === order.amounts.currency;
  return Math.max(0, isOrdersCurrency ? Math.min(ofPayment, ofOrder) : ofPayment);
}

/** Comes before every other check: whatever has changed since, a repeat is answered as one. */
function findRepeat(orderState: OrderState, wished: WishedRefund): DecidedRefund | undefined {
  const { refundRequestId } = wished;
  if (refundRequestId === undefined) return undefined;
  const known = refundsOf(orderState.transactions).find(
    (entry) => entry.refundRequestId === refundRequestId && entry.status !== 'failed',
  );
  if (!known) return undefined;
  const payment = findPaymentOf(known, orderState.transactions);
  if (!payment || !hasContent(known, payment, wished)) {
    throw new ServiceError('DUPLICATE_REFUND_REQUEST');
  }
  return { kind: 'repeat', refund: known, paymentTransactionId: payment.transactionId };
}

/** An invoice stands for whichever of its payments was refunded. A request without an amount repeats only such a one. */
function hasContent(refund: Refund, payment: Payment, wished: WishedRefund): boolean {
  const { transactionId, amount } = wished;
  if (transactionId !== undefined && transactionId !== payment.transactionId) return false;
  const { start } = refund;
  if (amount === undefined) return start?.refund?.isAll === true;
  const exponent = findExponent(start?.currency ?? refund.currency ?? payment.currency ?? '');
  const outcome = exponent === undefined ? undefined : parseSentAmount(amount, exponent);
  return outcome?.kind === 'amount' && outcome.minor === (start?.amount ?? refund.amount);
}

function choosePayment(
  orderState: OrderState,
  transactionId: string | undefined,
): RefundablePayment {
  if (transactionId !== undefined) {
    const named = orderState.transactions.find((entry) => entry.transactionId === transactionId);
    if (named?.type === 'refund') {
      throw new ServiceError(
        'REFUND_NOT_ALLOWED',
        'transaction_id names a refund: send the transaction_id of the payment to refund.',
      );
    }
    if (named && isRefundable(named)) return named;
    throw new ServiceError(
      'REFUND_NOT_ALLOWED',
      `This payment is ${named?.status ?? 'not known'}: only one that has succeeded can be refunded.`,
    );
  }
  const paid = paymentsOf(orderState.transactions).filter(isRefundable);
  const [first] = paid.toSorted(
    (a, b) =>
      Number(availableOf(orderState, b) > 0) - Number(availableOf(orderState, a) > 0) ||
      Number(isDuplicate(a)) - Number(isDuplicate(b)),
  );
  if (first) return first;
  throw new ServiceError('REFUND_NOT_ALLOWED', 'No payment of this order has succeeded.');
}

function isDuplicate({ flags }: Payment): boolean {
  return flags.includes('duplicate_capture');
}

function isRefundable(payment: Payment): payment is RefundablePayment {
  const { status, amount, currency, pspTransactionId } = payment;
  return (
    status === 'succeeded' && amount !== null && currency !== null && pspTransactionId !== null
  );
}

function readAmount(sent: SentAmount, exponent: number): MinorUnits {
  const outcome = parseSentAmount(sent, exponent);
  if (outcome.kind === 'refused') refuseField('refund_amount', outcome.why);
  if (outcome.minor === 0) refuseField('refund_amount', 'must be more than 0');
  return outcome.minor;
}
