/** Decides whether a requested refund is allowed, and its amount. Pure; callers hold the order's lock. */
import { refuseField, ServiceError } from '../errors.ts';
import { findExponent } from '../money/currency.ts';
import {
  formatAmount,
  type MinorUnits,
  parseSentAmount,
  readSentAmount,
  type SentAmount,
} from '../money/money.ts';
import { claimedAmount } from '../payments/claims.ts';
import type { Payment, Refund, Transaction } from '../payments/transaction.ts';
import { paymentsOf, refundsOf } from './matching.ts';
import type { OrderState } from './order-state.ts';
import { linkRefunds, refundBalance } from './refund-links.ts';

export type RequestedRefund = {
  /** The payment to refund; if absent, the one that paid for the order. */
  readonly transactionId: string | undefined;
  readonly amount: SentAmount | undefined;
  readonly refundRequestId: string | undefined;
  /** What was refunded or being refunded when somebody decided on this refund; if absent, it is not compared. */
  readonly refundedSoFar?: SentAmount;
};

type DecidedRefund =
  | { readonly kind: 'new'; readonly payment: RefundablePayment; readonly amount: MinorUnits }
  /** A refund with the same request id and the same content exists. Contract 11.9. */
  | { readonly kind: 'repeat'; readonly refund: Refund; readonly paymentTransactionId: string };

export type RefundablePayment = Payment & {
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly pspTransactionId: string;
};

export function decideRefund(orderState: OrderState, requested: RequestedRefund): DecidedRefund {
  const repeat = findRepeat(orderState, requested);
  if (repeat) return repeat;
  const payment = choosePayment(orderState, requested.transactionId);
  const available = balanceOf(orderState).availableOf(payment);
  const exponent = findExponent(payment.currency);
  if (exponent === undefined) {
    throw new ServiceError(
      'REFUND_NOT_ALLOWED',
      `The payment is in ${payment.currency}, which is not in the list of ISO 4217: refund it at the provider.`,
    );
  }
  refuseOutdated(orderState, requested, payment.currency, exponent);
  const { amount: sent } = requested;
  const amount = sent === undefined ? available : readSentAmount('refund_amount', sent, exponent);
  if (sent !== undefined && amount === 0) refuseField('refund_amount', 'must be more than 0');
  if (amount > available || available === 0) {
    refuseDisputed(payment, available, exponent);
    throw new ServiceError(
      'INVALID_REFUND_AMOUNT',
      `refund_amount may be at most ${formatAmount(available, exponent)} ${payment.currency}: that is what is available for refund.`,
    );
  }
  return { kind: 'new', payment, amount };
}

/** Refunding what a dispute claims would lose it twice. Contract 17.3. */
function refuseDisputed(payment: RefundablePayment, available: MinorUnits, exponent: number): void {
  const claimed = claimedAmount(payment);
  if (claimed === 0) return;
  const money = (amount: MinorUnits) => `${formatAmount(amount, exponent)} ${payment.currency}`;
  const rest = available === 0 ? 'nothing' : `at most ${money(available)}`;
  throw new ServiceError(
    'PAYMENT_DISPUTED',
    `Disputes claim ${money(claimed)} of this payment, which you would lose twice: ${rest} can still be refunded. A dispute that is won or closed gives its amount free again.`,
  );
}

/**
 * Whoever requests a refund of what a page showed must not repeat one that was made meanwhile. All payments of the order
 * count, because two people may refund two payments of it for the same reason. Contract 13.5.
 */
function refuseOutdated(
  { transactions }: OrderState,
  { refundedSoFar: sent }: RequestedRefund,
  currency: string,
  exponent: number,
): void {
  if (sent === undefined) return;
  const known = readSentAmount('refunded_so_far', sent, exponent);
  const current = refundedSoFar(transactions, currency);
  if (known === current) return;
  throw new ServiceError(
    'ORDER_CONFLICT',
    `The refunds of this order have changed meanwhile: ${formatAmount(current, exponent)} ${currency} are refunded or on their way now. Nothing was refunded. Close this, look at the refunds, and start again if a refund is still wanted.`,
  );
}

/** What is refunded or being refunded of the order, in one currency. */
export function refundedSoFar(transactions: readonly Transaction[], currency: string): MinorUnits {
  const { refunded, pending } = refundBalance(transactions, currency);
  return refunded + pending;
}

/** Runs before every other check: a repeat gets the same answer, whatever has changed since. */
function findRepeat(orderState: OrderState, requested: RequestedRefund): DecidedRefund | undefined {
  const { refundRequestId } = requested;
  if (refundRequestId === undefined) return undefined;
  const known = refundsOf(orderState.transactions).find(
    (entry) => entry.refundRequestId === refundRequestId && entry.status !== 'failed',
  );
  if (!known) return undefined;
  const payment = linkRefunds(orderState.transactions).findPaymentOf(known);
  if (!payment || !hasContent(known, payment, requested)) {
    throw new ServiceError('DUPLICATE_REFUND_REQUEST');
  }
  return { kind: 'repeat', refund: known, paymentTransactionId: payment.transactionId };
}

/** Without a transaction id, any payment of the order matches. A request without an amount repeats only such a one. */
function hasContent(refund: Refund, payment: Payment, requested: RequestedRefund): boolean {
  const { transactionId, amount } = requested;
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
    const found = orderState.transactions.find((entry) => entry.transactionId === transactionId);
    if (found?.type === 'refund') {
      throw new ServiceError(
        'REFUND_NOT_ALLOWED',
        'transaction_id names a refund: send the transaction_id of the payment to refund.',
      );
    }
    if (found && isRefundable(found)) return found;
    throw new ServiceError(
      'REFUND_NOT_ALLOWED',
      `This payment is ${found?.status ?? 'not known'}: only one that has succeeded can be refunded.`,
    );
  }
  const { availableOf } = balanceOf(orderState);
  const paid = paymentsOf(orderState.transactions)
    .filter(isRefundable)
    .map((payment) => ({ payment, hasRest: availableOf(payment) > 0 }));
  const [first] = paid.toSorted(
    (a, b) =>
      Number(b.hasRest) - Number(a.hasRest) ||
      Number(isDuplicate(a.payment)) - Number(isDuplicate(b.payment)),
  );
  if (first) return first.payment;
  throw new ServiceError('REFUND_NOT_ALLOWED', 'No payment of this order has succeeded.');
}

const isDuplicate = ({ flags }: Payment): boolean => flags.includes('duplicate_capture');

function balanceOf({ order, transactions }: OrderState) {
  return refundBalance(transactions, order.amounts.currency);
}

export function isRefundable(payment: Payment): payment is RefundablePayment {
  const { status, amount, currency, pspTransactionId } = payment;
  return (
    status === 'succeeded' && amount !== null && currency !== null && pspTransactionId !== null
  );
}
