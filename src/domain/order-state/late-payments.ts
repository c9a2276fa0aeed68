/**
 * Finds payments that succeeded after their order had lapsed, by the provider's time. A cancelled payment link lapses its
 * order. Pure. Contract 19.3.
 */
import { findExponent } from '../money/currency.ts';
import { orderStatus } from '../orders/order.ts';
import { countedOf } from '../payments/captures.ts';
import { earliest } from '../payments/fold.ts';
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

/** When its time was over, or when the attempt failed that was one too many. An unknown time of a failure proves nothing. */
function findLapse({ order, transactions }: SettledOrderState): number {
  const failures = paymentsOf(transactions)
    .filter(isFailedAttempt)
    .map(({ finishedAtMs }) => finishedAtMs ?? Number.POSITIVE_INFINITY);
  const last = failures.sort((a, b) => a - b)[failedAttemptsMax - 1];
  return Math.min(order.lapsesAt.getTime(), last ?? Number.POSITIVE_INFINITY);
}

/**
 * Of captures the last one counts: a part that was captured in time has succeeded only since the order lapsed, and is not
 * late (contract 4.9). Without a time of the success it is that of the provider's record, and not of our own call.
 */
function paidAtMs(payment: Payment): number {
  const { captures, notices, finishedAtMs } = payment;
  const captured = countedOf(captures).flatMap(({ atMs }) => atMs ?? []);
  if (captured.length > 0) return Math.max(...captured);
  const successes = notices.filter(({ status }) => status === 'succeeded');
  const recordedAtMs = earliest(successes, (notice) => notice.recordedAtMs);
  return finishedAtMs ?? recordedAtMs ?? succeededAtMs(payment);
}
