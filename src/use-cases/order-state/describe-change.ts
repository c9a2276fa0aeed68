/** Compares two states of an order: the history entries of what changed, and the flags that are new. Contract 4.7. */
import { type Change, type HistoryEntry, listChanges } from '../../domain/history.ts';
import type { OrderState } from '../../domain/order-state/order-state.ts';
import { listAnnounced } from '../../domain/order-state/relate.ts';
import type { SettledOrderState } from '../../domain/order-state/settle.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { type LockedOrderState, orderKeyOf } from './lock-order-state.ts';

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
  for (const { notices: _folded, ...fields } of listRemoved(before, after)) {
    const nulls = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
    note(fields.transactionId, listChanges(fields, nulls));
  }
  note(null, listChanges(before.summary, after.summary));
  return { entries, newFlags: listNewFlags(before, after) };
}

export function changesOf(before: Transaction | undefined, after: Transaction): Change[] {
  return listChanges(before, after, 'notices');
}

/** Transactions that a provider reported and that turned out to be a payment or refund started here. */
export function listRemoved(before: OrderState, after: OrderState): Transaction[] {
  const byId = transactionsById(after);
  return before.transactions.filter(({ transactionId }) => !byId.has(transactionId));
}

export function transactionsById({ transactions }: OrderState): ReadonlyMap<string, Transaction> {
  return new Map(transactions.map((transaction) => [transaction.transactionId, transaction]));
}

/** Counted, because the same flag may be on several transactions. */
function listNewFlags(before: SettledOrderState, after: SettledOrderState) {
  const flags = groupFlags(after);
  if (flags.size === 0) return [];
  const known = groupFlags(before);
  return [...flags]
    .filter(([flag, { length }]) => length > (known.get(flag)?.length ?? 0))
    .map(([flag]) => flag)
    .sort();
}

function groupFlags({ summary, transactions }: SettledOrderState) {
  const flags = [...summary.flags, ...transactions.flatMap((transaction) => transaction.flags)];
  return Map.groupBy(flags, (flag) => flag);
}

/** An order as it was locked, and after what was applied to it so far, with the history of that. */
export type ChangedOrderState = {
  readonly before: LockedOrderState;
  after: SettledOrderState;
  readonly entries: HistoryEntry[];
  /** Folded again from the inbox, so every transaction is written with all its notices. */
  readonly isRebuilt?: true | undefined;
};

/** Several deliveries or calls are applied to these orders, one after the other. */
export function startChanges(locked: readonly LockedOrderState[]) {
  return new Map(
    locked.map((before) => [orderKeyOf(before.order), { before, after: before, entries: [] }]),
  );
}

/** A batch decides as its parts alone would: a payment that one of them flags is an announced duplicate for the next. */
export function advance(
  order: ChangedOrderState,
  after: SettledOrderState,
  entries: readonly HistoryEntry[],
): void {
  order.after = { ...after, announcedDuplicates: listAnnounced(after.transactions) };
  order.entries.push(...entries);
}
