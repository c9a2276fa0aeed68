/** What becomes of a delivery when it is applied: finished, parked, or left to a person. */
import { countTransactions, type OrderState } from '../order-state/order-state.ts';
import { paymentLimits } from '../payments/limits.ts';
import { type Transaction, withFlags } from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';
import type { DeliveryResult } from './delivery.ts';
import { nextTryOf, type Tried } from './retry-schedule.ts';

export type DeliveryOutcome = {
  readonly result: DeliveryResult;
  /** Names that are known from now on; deliveries parked for one of them can be applied. */
  readonly names: readonly string[];
  readonly parkedFor: readonly string[];
};

export function finish(
  { tries }: Tried,
  now: Date,
  end: Pick<DeliveryResult, 'state' | 'why'> & {
    readonly flags?: readonly ReviewFlag[];
    readonly orderId?: string;
    readonly names?: readonly string[];
  },
): DeliveryOutcome {
  const { state, why, flags = [], orderId = null, names = [] } = end;
  const result = { state, why, flags, orderId, tries, nextTryAt: null, finishedAt: now };
  return { result, names, parkedFor: [] };
}

/** Stored until something it names appears, and tried again at growing intervals. Contract 6.6. */
export function park(delivery: Tried, parkedFor: readonly string[], now: Date): DeliveryOutcome {
  const why = 'what it names is not known yet';
  const result = { ...nextTryOf(delivery, now, 'parked'), why, flags: [], orderId: null };
  return { result, names: [], parkedFor };
}

/** The delivery names several orders: it is applied to none, and a person decides. Contract 6.4. */
export function reportConflict(
  delivery: Tried,
  orders: readonly string[],
  now: Date,
  report?: { readonly why: string; readonly flags: readonly ReviewFlag[] },
): DeliveryOutcome {
  const conflict = `its references name different orders: ${orders.toSorted().join(', ')}`;
  return finish(delivery, now, {
    state: 'needs_review',
    why: report ? `${report.why}; ${conflict}` : conflict,
    flags: withFlags(report?.flags ?? [], ['reference_conflict']),
  });
}

/**
 * Why the order cannot store what the delivery would add: it has as many transactions, or as many notices of one
 * transaction, as the limits allow. Existing transactions may still change. Contract 4.14.
 */
export function findExceededLimit(before: OrderState, after: OrderState): string | undefined {
  const { transactionsMax, noticesMax } = paymentLimits;
  const count = countTransactions(after);
  if (count > transactionsMax && count > countTransactions(before))
    return `its order has ${transactionsMax} transactions, and no more are stored`;
  const isFull = (entry: Transaction) =>
    entry.notices.length > noticesMax && !before.transactions.includes(entry);
  const hasFullHeld = after.held.length > noticesMax && after.held.length > before.held.length;
  const disputes = after.disputeNotices?.length ?? 0;
  const hasFullDisputes = disputes > noticesMax && disputes > (before.disputeNotices?.length ?? 0);
  if (hasFullHeld || hasFullDisputes || after.transactions.some(isFull))
    return `its order has ${noticesMax} notices of one transaction, and no more are stored`;
  return undefined;
}

export function rejectTooMany(delivery: Tried, orderId: string, why: string, now: Date) {
  const flags = ['too_many_transactions'] as const;
  return finish(delivery, now, { state: 'needs_review', why, flags, orderId });
}
