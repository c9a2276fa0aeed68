/** Writes down what changed in the books of orders, with a history row for every change. Decision 4.7. */
import { type Change, listChanges, type State } from '../domain/history.ts';
import type { ReviewFlag } from '../domain/notice.ts';
import type { OrderBook, OrderState } from '../domain/order-book.ts';
import { type BookState, uncapturedAtMs } from '../domain/settle.ts';
import { isSettled } from '../domain/settled.ts';
import type { Transaction as OrderTransaction } from '../domain/transaction.ts';
import type { Transaction } from '../store/database.ts';
import { appendHistory, type CallRecord, type HistoryEntry } from '../store/history.ts';
import { saveOrderStates } from '../store/orders.ts';
import {
  deleteTransactions,
  insertTransactions,
  releasePspIds,
  type SavedTransaction,
  updateTransactions,
} from '../store/transactions.ts';
import type { LockedBook } from './books.ts';

export type Described = {
  readonly entries: readonly HistoryEntry[];
  /** Flags that were not there before, on the order or any of its transactions. */
  readonly newFlags: readonly ReviewFlag[];
};

/** What changed from one moment to the next, and by what. */
export function describeChange(
  before: BookState,
  after: BookState,
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
  // Every member: should its id be given again, the history begins from nothing.
  for (const known of goneFrom(before, after)) {
    note(known.transactionId, listChanges(stateOf(known), nothingOf(known)));
  }
  note(null, listChanges(before.state, after.state));
  return { entries, newFlags: newFlags(before, after) };
}

export type ChangedBook = {
  readonly before: LockedBook;
  readonly after: BookState;
  readonly entries: readonly HistoryEntry[];
  /** When the provider is polled next about open transactions. */
  readonly askAt: Date;
  /** Folded anew from the inbox, so that every notice is written. */
  readonly isRebuilt?: true;
};

export async function saveBooks(tx: Transaction, changed: readonly ChangedBook[]): Promise<void> {
  const states = changed.flatMap(({ before, after: { state, held } }) => {
    const { accountId, orderId } = before.order;
    const isSame = listChanges(orderStateOf(before.order), state).length === 0;
    return isSame && held === before.held ? [] : [{ accountId, orderId, state, held }];
  });
  // Sent together and run in this order: an id must be free before another takes it.
  await Promise.all([
    releaseChangedPspIds(tx, changed),
    updateTransactions(tx, changed.flatMap(listChangedTransactions)),
    insertTransactions(tx, changed.flatMap(listNewTransactions)),
    deleteGone(tx, changed),
    saveOrderStates(tx, states),
    appendHistory(
      tx,
      changed.map(({ before: { order }, entries }) => ({ order, entries })),
    ),
  ]);
}

async function deleteGone(tx: Transaction, changed: readonly ChangedBook[]): Promise<void> {
  const remove = ({ before, after }: ChangedBook) => {
    const gone = goneFrom(before, after).map(({ transactionId }) => transactionId);
    return gone.length === 0 ? undefined : deleteTransactions(tx, before.order, gone);
  };
  await Promise.all(changed.map(remove));
}

/** One book, changed by a call: of a merchant, or to a provider. */
export async function saveBook(
  tx: Transaction,
  before: LockedBook,
  after: BookState,
  change: {
    readonly cause: string;
    readonly now: Date;
    readonly askAt: Date;
    readonly isRebuilt?: true;
    /** The call to a provider that brought it, and the transaction it was about. */
    readonly call?: CallRecord & { readonly transactionId: string };
  },
): Promise<void> {
  const { cause, now, askAt, isRebuilt } = change;
  const { entries } = describeChange(
    { ...before, state: orderStateOf(before.order) },
    after,
    change,
  );
  const calls: HistoryEntry[] = [];
  if (change.call) {
    const { transactionId, ...call } = change.call;
    calls.push({ transactionId, changes: [], cause, happenedAt: now, call });
  }
  const saved = { before, after, entries: [...calls, ...entries], askAt };
  await saveBooks(tx, [isRebuilt ? { ...saved, isRebuilt } : saved]);
}

function listNewTransactions(book: ChangedBook): SavedTransaction[] {
  const { before, after } = book;
  return after.transactions
    .filter(({ transactionId }) => !findById(before, transactionId))
    .map((transaction) => toSaved(book, transaction));
}

/** Also where only a notice was added, which changes nothing that is shown. */
function listChangedTransactions(book: ChangedBook): SavedTransaction[] {
  const { before, after } = book;
  return after.transactions
    .filter((transaction) => {
      const known = findById(before, transaction.transactionId);
      if (!known) return false;
      const hasNotice = known.notices.length !== transaction.notices.length;
      return book.isRebuilt || hasNotice || changesOf(known, transaction).length > 0;
    })
    .map((transaction) => toSaved(book, transaction));
}

function toSaved({ before, askAt }: ChangedBook, transaction: OrderTransaction): SavedTransaction {
  const { accountId, orderId, userId } = before.order;
  return {
    accountId,
    orderId,
    transaction,
    askAt: isSettled(transaction) ? null : pollAt(transaction, askAt),
    paidBy: isPaid(transaction) ? userId : null,
  };
}

/** An authorisation is looked at when it is due to be flagged, however rare polls have become. Decision 4.8. */
function pollAt(transaction: OrderTransaction, otherwise: Date): Date {
  const dueAtMs = transaction.type === 'payment' ? uncapturedAtMs(transaction) : null;
  return dueAtMs !== null && dueAtMs > otherwise.getTime() ? new Date(dueAtMs) : otherwise;
}

function isPaid({ type, status }: OrderTransaction): boolean {
  return type === 'payment' && status === 'succeeded';
}

/** Rare: what was started here claims another try, so provider's ids change hands. */
async function releaseChangedPspIds(
  tx: Transaction,
  changed: readonly ChangedBook[],
): Promise<void> {
  const release = ({ before, after }: ChangedBook) => {
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
function goneFrom(before: OrderBook, after: OrderBook): OrderTransaction[] {
  return before.transactions.filter(({ transactionId }) => !findById(after, transactionId));
}

function findById({ transactions }: OrderBook, id: string): OrderTransaction | undefined {
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
  return Object.fromEntries(Object.keys(stateOf(transaction)).map((member) => [member, null]));
}

export function orderStateOf(order: LockedBook['order']): OrderState {
  return { status: order.savedStatus, attempts: order.attempts, flags: order.flags };
}

function newFlags(before: BookState, after: BookState): ReviewFlag[] {
  const raised = flagsOf(after);
  if (raised.length === 0) return [];
  const count = (flags: readonly ReviewFlag[], flag: ReviewFlag) =>
    flags.filter((one) => one === flag).length;
  const had = flagsOf(before);
  const isNew = (flag: ReviewFlag) => count(raised, flag) > count(had, flag);
  return [...new Set(raised.filter(isNew))].sort();
}

function flagsOf({ state, transactions }: BookState): readonly ReviewFlag[] {
  return [...state.flags, ...transactions.flatMap(({ flags }) => flags)];
}
