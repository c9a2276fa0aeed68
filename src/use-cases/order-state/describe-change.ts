/** Compares two states of an order: the history entries of what changed, and the flags that are new. Contract 4.7. */
import { type Change, listChanges, type State } from '../../domain/history.ts';
import type { OrderState, OrderSummary } from '../../domain/order-state/order-state.ts';
import { listAnnounced } from '../../domain/order-state/relate.ts';
import type { SettledOrderState } from '../../domain/order-state/settle.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { HistoryEntry } from '../../store/orders/history.ts';
import type { LockedOrderState } from './lock-order-state.ts';

export function describeChange(
  before: SettledOrderState,
  after: SettledOrderState,
  { cause, now }: { readonly cause: string; readonly now: Date },
) {
  const entries: HistoryEntry[] = [];
  const note = (transactionId: string | null, changes: readonly Change[]) => {
    if (changes.length > 0) entries.push({ transactionId, changes, cause, happenedAt: now });
  };
  const knownById = transactionsById(before);
  for (const transaction of after.transactions) {
    const { transactionId } = transaction;
    const known = knownById.get(transactionId);
    if (known !== transaction) note(transactionId, changesOf(known, transaction));
  }
  // Every field becomes null: another transaction may get the same id later, and its history starts from null.
  for (const removed of listRemoved(before, after)) {
    note(removed.transactionId, listChanges(fieldsOf(removed), nullFieldsOf(removed)));
  }
  note(null, listChanges(before.summary, after.summary));
  return { entries, newFlags: listNewFlags(before, after) };
}

/** The order's summary as it is stored. */
export function orderSummaryOf(order: LockedOrderState['order']): OrderSummary {
  return { status: order.savedStatus, attempts: order.attempts, flags: order.flags };
}

export function changesOf(before: Transaction | undefined, after: Transaction): Change[] {
  return listChanges(before, after, 'notices');
}

/** A transaction without its notices, which are not part of the history. */
function fieldsOf({ notices: _folded, ...fields }: Transaction): State {
  return fields;
}

/** Transactions that a provider reported and that turned out to be a payment or refund started here. */
export function listRemoved(before: OrderState, after: OrderState): Transaction[] {
  const byId = transactionsById(after);
  return before.transactions.filter(({ transactionId }) => !byId.has(transactionId));
}

export function transactionsById({ transactions }: OrderState): ReadonlyMap<string, Transaction> {
  return new Map(transactions.map((transaction) => [transaction.transactionId, transaction]));
}

function nullFieldsOf(transaction: Transaction): State {
  return Object.fromEntries(Object.keys(fieldsOf(transaction)).map((field) => [field, null]));
}

/** Counted, because the same flag may be on several transactions. */
function listNewFlags(before: SettledOrderState, after: SettledOrderState): ReviewFlag[] {
  const flags = flagsOf(after);
  if (flags.length === 0) return [];
  const counted = countFlags(flags);
  const countedBefore = countFlags(flagsOf(before));
  const isNew = (flag: ReviewFlag) => (counted.get(flag) ?? 0) > (countedBefore.get(flag) ?? 0);
  return [...counted.keys()].filter(isNew).sort();
}

function countFlags(flags: readonly ReviewFlag[]): ReadonlyMap<ReviewFlag, number> {
  const counted = new Map<ReviewFlag, number>();
  for (const flag of flags) counted.set(flag, (counted.get(flag) ?? 0) + 1);
  return counted;
}

function flagsOf({ summary, transactions }: SettledOrderState): readonly ReviewFlag[] {
  return [...summary.flags, ...transactions.flatMap(({ flags }) => flags)];
}

/** An order while several deliveries or calls are applied to it, one after the other. */
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
