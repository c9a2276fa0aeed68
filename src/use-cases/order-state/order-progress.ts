/** An order while several deliveries or calls are applied to it, one after the other. */
import { listAnnounced } from '../../domain/order-state/relate.ts';
import type { SettledOrderState } from '../../domain/order-state/settle.ts';
import type { HistoryEntry } from '../../store/orders/history.ts';
import { orderSummaryOf } from './describe-change.ts';
import type { LockedOrderState } from './lock-order-state.ts';

export type OrderProgress = {
  /** As it was locked. */
  readonly before: LockedOrderState;
  /** After everything so far. */
  after: SettledOrderState;
  readonly entries: HistoryEntry[];
};

export function startProgress(before: LockedOrderState): OrderProgress {
  return { before, after: { ...before, summary: orderSummaryOf(before.order) }, entries: [] };
}

/** A batch decides as its parts alone would: a payment that one of them flags is an announced duplicate for the next. */
export function advance(
  progress: OrderProgress,
  after: SettledOrderState,
  entries: readonly HistoryEntry[],
): void {
  progress.after = { ...after, announcedDuplicates: listAnnounced(after.transactions) };
  progress.entries.push(...entries);
}
