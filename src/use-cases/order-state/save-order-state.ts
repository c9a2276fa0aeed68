/** Writes down what changed in the order states of orders, with a history row for every change. Contract 4.7. */
import { type Change, listChanges, type State } from '../../domain/history.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import { needsPolling } from '../../domain/transactions/needs-polling.ts';
import type { OrderState, OrderSummary } from '../../domain/transactions/order-state.ts';
import { type SettledOrderState, uncapturedAtMs } from '../../domain/transactions/settle.ts';
import type { Transaction as OrderTransaction } from '../../domain/transactions/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import { appendHistory, type CallRecord, type HistoryEntry } from '../../store/history.ts';
import { saveOrderSummaries } from '../../store/orders.ts';
import {
  deleteTransactions,
  insertTransactions,
  releasePspIds,
  type SavedTransaction,
  updateTransactions,
} from '../../store/transactions.ts';
import type { LockedOrderState } from './lock-order-state.ts';

export type Described = {
  readonly entries: readonly HistoryEntry[];
  /** Flags that were not there before, on the order or any of its transactions. */
  readonly newFlags: readonly ReviewFlag[];
};

/** What changed from one moment to the next, and by what. */
export function describeChange(
  before: SettledOrderState,
  after: SettledOrderState,
  { cause, now }: { readonly cause: string; readonly now: Date },
): Described {
  const entries: HistoryEntry[] = [];
  const note = (transactionId: string | null, changes: readonly Change[]) => {
    if (changes.length > 0) entries.push({ transactionId, changes, cause, happenedAt: now });
  };
  for (const transaction of after.transactions) {
    const { transactionId } = transaction;
    note(transactionId, changesOf(findById(before, transactionId), transaction));
  }
  // Every field: should its id be given again, the history begins from nothing.
  for (const known of goneFrom(before, after)) {
    note(known.transactionId, listChanges(stateOf(known), nothingOf(known)));
  }
  note(null, listChanges(before.state, after.state));
  return { entries, newFlags: newFlags(before, after) };
}

export type ChangedOrderState = {
  readonly before: LockedOrderState;
  readonly after: SettledOrderState;
  readonly entries: readonly HistoryEntry[];
  /** When the provider is polled next about open transactions. */
  readonly pollAt: Date;
  /** Folded anew from the inbox, so that every notice is written. */
  readonly isRebuilt?: true;
};

export async function saveOrderStates(
  tx: Transaction,
  changed: readonly ChangedOrderState[],
): Promise<void> {
  const states = changed.flatMap(({ before, after: { state, held } }) => {
    const { accountId, orderId } = before.order;
    const isSame = listChanges(orderSummaryOf(before.order), state).length === 0;
    return isSame && held === before.held ? [] : [{ accountId, orderId, state, held }];
  });
  // Sent together and run in this order: an id must be free before another takes it.
  await Promise.all([
    releaseChangedPspIds(tx, changed),
    updateTransactions(tx, changed.flatMap(listChangedTransactions)),
    insertTransactions(tx, changed.flatMap(listNewTransactions)),
    deleteGone(tx, changed),
    saveOrderSummaries(tx, states),
    appendHistory(
      tx,
      changed.map(({ before: { order }, entries }) => ({ order, entries })),
    ),
  ]);
}

async function deleteGone(tx: Transaction, changed: readonly ChangedOrderState[]): Promise<void> {
  const remove = ({ before, after }: ChangedOrderState) => {
    const gone = goneFrom(before, after).map(({ transactionId }) => transactionId);
    return gone.length === 0 ? undefined : deleteTransactions(tx, before.order, gone);
  };
  await Promise.all(changed.map(remove));
}

/** One order state, changed by a call: of a merchant, or to a provider. */
export async function saveOrderState(
  tx: Transaction,
  before: LockedOrderState,
  after: SettledOrderState,
  change: {
    readonly cause: string;
    readonly now: Date;
    readonly pollAt: Date;
    readonly isRebuilt?: true;
    /** The call to a provider that brought it, and the transaction it was about. */
    readonly call?: CallRecord & { readonly transactionId: string };
  },
): Promise<void> {
  const { cause, now, pollAt, isRebuilt } = change;
  const { entries } = describeChange(
    { ...before, state: orderSummaryOf(before.order) },
    after,
    change,
  );
  const calls: HistoryEntry[] = [];
  if (change.call) {
    const { transactionId, ...call } = change.call;
    calls.push({ transactionId, changes: [], cause, happenedAt: now, call });
  }
  const saved = { before, after, entries: [...calls, ...entries], pollAt };
  await saveOrderStates(tx, [isRebuilt ? { ...saved, isRebuilt } : saved]);
}

function listNewTransactions(orderState: ChangedOrderState): SavedTransaction[] {
  const { before, after } = orderState;
  return after.transactions
    .filter(({ transactionId }) => !findById(before, transactionId))
    .map((transaction) => toSaved(orderState, transaction));
}

/** Also where only a notice was added, which changes nothing that is shown. */
function listChangedTransactions(orderState: ChangedOrderState): SavedTransaction[] {
  const { before, after } = orderState;
  return after.transactions
    .filter((transaction) => {
      const known = findById(before, transaction.transactionId);
      if (!known) return false;
      const hasNotice = known.notices.length !== transaction.notices.length;
      return orderState.isRebuilt || hasNotice || changesOf(known, transaction).length > 0;
    })
    .map((transaction) => toSaved(orderState, transaction));
}

function toSaved(
  { before, pollAt }: ChangedOrderState,
  transaction: OrderTransaction,
): SavedTransaction {
  const { accountId, orderId, userId } = before.order;
  return {
    accountId,
    orderId,
    transaction,
    pollAt: needsPolling(transaction) ? nextPollOf(transaction, pollAt) : null,
    paidBy: isPaid(transaction) ? userId : null,
  };
}

/** An authorisation is looked at when it is due to be flagged, however rare polls have become. Contract 4.8. */
function nextPollOf(transaction: OrderTransaction, otherwise: Date): Date {
  const dueAtMs = transaction.type === 'payment' ? uncapturedAtMs(transaction) : null;
  return dueAtMs !== null && dueAtMs > otherwise.getTime() ? new Date(dueAtMs) : otherwise;
}

function isPaid({ type, status }: OrderTransaction): boolean {
  return type === 'payment' && status === 'succeeded';
}

/** Rare: what was started here claims another try, so provider's ids change hands. */
async function releaseChangedPspIds(
  tx: Transaction,
  changed: readonly ChangedOrderState[],
): Promise<void> {
  const release = ({ before, after }: ChangedOrderState) => {
    const released = before.transactions.filter(({ transactionId, pspTransactionId }) => {
      const now = findById(after, transactionId)?.pspTransactionId;
      return pspTransactionId !== null && now !== pspTransactionId;
    });
    const ids = released.map(({ transactionId }) => transactionId);
    return ids.length === 0 ? undefined : releasePspIds(tx, before.order, ids);
  };
  await Promise.all(changed.map(release));
}

/** Those that turned out to be what was started here under another id. */
function goneFrom(before: OrderState, after: OrderState): OrderTransaction[] {
  return before.transactions.filter(({ transactionId }) => !findById(after, transactionId));
}

function findById({ transactions }: OrderState, id: string): OrderTransaction | undefined {
  return transactions.find(({ transactionId }) => transactionId === id);
}

function changesOf(known: OrderTransaction | undefined, transaction: OrderTransaction): Change[] {
  return listChanges(known, transaction, 'notices');
}

/** A transaction without the notices it was folded from. */
export function stateOf({ notices: _folded, ...state }: OrderTransaction): State {
  return state;
}

function nothingOf(transaction: OrderTransaction): State {
  return Object.fromEntries(Object.keys(stateOf(transaction)).map((field) => [field, null]));
}

export function orderSummaryOf(order: LockedOrderState['order']): OrderSummary {
  return { status: order.savedStatus, attempts: order.attempts, flags: order.flags };
}

function newFlags(before: SettledOrderState, after: SettledOrderState): ReviewFlag[] {
  const raised = flagsOf(after);
  if (raised.length === 0) return [];
  const count = (flags: readonly ReviewFlag[], flag: ReviewFlag) =>
    flags.filter((one) => one === flag).length;
  const had = flagsOf(before);
  const isNew = (flag: ReviewFlag) => count(raised, flag) > count(had, flag);
  return [...new Set(raised.filter(isNew))].sort();
}

function flagsOf({ state, transactions }: SettledOrderState): readonly ReviewFlag[] {
  return [...state.flags, ...transactions.flatMap(({ flags }) => flags)];
}
