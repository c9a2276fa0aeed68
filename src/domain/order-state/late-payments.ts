/**
 * Finds payments that succeeded after their order had lapsed, by the provider's time. A cancelled payment link lapses its
 * order. Pure. Contract 19.3.
 */
import { findExponent } from '../money/currency.ts';
import { orderStatus } from '../orders/order.ts';
import { countedOf } from '../payments/captures.ts';
import { rankOf } from '../payments/notice.ts';
import type { Payment } from '../payments/transaction.ts';
import { paymentsOf, pspKeysOf } from './matching.ts';
import { failedAttemptsMax } from './order-state.ts';
import { isRefundable, type RefundablePayment } from './refund-request.ts';
import { succeededAtMs } from './relate.ts';
import { type SettledOrderState, settleTransactions } from './settle.ts';
import { isFailedAttempt } from './tally.ts';

/**
 * Those that succeed by the step from `before` to `after`, and no others: whether a payment is refunded is decided once,
 * when its success is applied. Of an order that had other money in time, or that is open, none is late.
 */
export function listLatePayments(
  before: SettledOrderState,
  { transactions }: SettledOrderState,
  now: Date,
): RefundablePayment[] {
  const { order, summary } = before;
  if (orderStatus({ ...order, savedStatus: summary.status }, now) !== 'lapsed') return [];
  const known = new Set(
    paymentsOf(settleTransactions(before, now)).filter(hasSucceeded).flatMap(pspKeysOf),
  );
  // A large order is loaded whole before it is decided.
  const lapsedAtMs = before.unloaded ? Number.NEGATIVE_INFINITY : findLapse(before);
  return paymentsOf(transactions)
    .filter(isRefundable)
    .filter(
      (payment) =>
        paidAtMs(payment) >= lapsedAtMs &&
        !pspKeysOf(payment).some((key) => known.has(key)) &&
        !payment.flags.includes('refunded_late_payment') &&
        findExponent(payment.currency) !== undefined,
    );
}

function hasSucceeded({ status }: Payment): boolean {
  return rankOf(status) >= rankOf('succeeded');
}

/** When its time was over, or when the attempt failed that was one too many. */
function findLapse({ order, transactions }: SettledOrderState): number {
  const failures = paymentsOf(transactions).filter(isFailedAttempt).map(succeededAtMs);
  const last = failures.sort((a, b) => a - b)[failedAttemptsMax - 1];
  return Math.min(order.lapsesAt.getTime(), last ?? Number.POSITIVE_INFINITY);
}

/** A part that was captured in time counts as succeeded only since the order lapsed, and is not late. Contract 4.9. */
function paidAtMs(payment: Payment): number {
  const captured = countedOf(payment.captures).flatMap(({ atMs }) => atMs ?? []);
  return captured.length > 0 ? Math.max(...captured) : succeededAtMs(payment);
}
