/** An order while several deliveries or calls are applied to it, one after the other. */
import type { SettledOrderState } from '../../domain/transactions/settle.ts';
import type { HistoryEntry } from '../../store/history.ts';
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
