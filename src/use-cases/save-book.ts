/** Writes down what changed in an order's book, with a history row for every change. Decision 4.7. */
import { type Change, listChanges, type State } from '../domain/history.ts';
import type { ReviewFlag } from '../domain/notice.ts';
import type { Order } from '../domain/order.ts';
import type { OrderBook, OrderState } from '../domain/order-book.ts';
import { isSettled } from '../domain/settled.ts';
import type { Transaction as OrderTransaction } from '../domain/transaction.ts';
import type { Transaction } from '../store/database.ts';
import type { Delivery } from '../store/deliveries.ts';
import { appendHistory, type CallRecord, type HistoryEntry } from '../store/history.ts';
import { saveOrderState } from '../store/orders.ts';
import {
  deleteTransaction,
  insertNotice,
  moveNotice,
  releasePspId,
  saveTransaction,
} from '../store/transactions.ts';

export type SavedBook = {
  readonly changed: boolean;
  /** Flags that were not there before, on the order or any of its transactions. */
  readonly newFlags: readonly ReviewFlag[];
};

export type BookChange = {
  readonly state: OrderState;
  readonly now: Date;
  /** When the provider is asked about what is not final. */
  readonly askAt: Date;
  /** A delivery, or the name of a call. */
  readonly cause: Pick<Delivery, 'deliveryId' | 'deliveryKey'> | string;
  /** The call to a provider that brought it, and the transaction it was about. */
  readonly call?: CallRecord & { readonly transactionId: string };
};

type LoadedBook = OrderBook & { readonly order: Order };

export async function saveBook(
  tx: Transaction,
  before: LoadedBook,
  after: OrderBook,
  change: BookChange,
): Promise<SavedBook> {
  const { accountId, orderId } = before.order;
  const { state, cause, now, askAt } = change;
  const entries: HistoryEntry[] = [];
  const causeName = typeof cause === 'string' ? cause : cause.deliveryId;
  const note = (transactionId: string | null, changes: readonly Change[]) => {
    if (changes.length === 0) return;
    entries.push({ transactionId, changes, cause: causeName, happenedAt: now });
  };
  if (change.call) {
    const { transactionId, ...call } = change.call;
    entries.push({ transactionId, changes: [], cause: causeName, happenedAt: now, call });
  }

  await releasePspIds(tx, before, after);
  for (const transaction of after.transactions) {
    const known = findById(before, transaction.transactionId);
    const changes = listChanges(known && stateOf(known), stateOf(transaction));
    if (changes.length > 0) {
      const nextAskAt = isSettled(transaction) ? null : askAt;
      await saveTransaction(tx, accountId, orderId, transaction, nextAskAt);
    }
    note(transaction.transactionId, changes);
  }
  await keepNotices(tx, before, after, cause);
  for (const gone of before.transactions.filter((known) => isGone(known, after))) {
    await deleteTransaction(tx, accountId, gone.transactionId);
    // Every member: should its id be given again, the history begins from nothing.
    note(gone.transactionId, listChanges(stateOf(gone), nothingOf(gone)));
  }

  const orderChanges = listChanges(orderStateOf(before.order), state);
  if (orderChanges.length > 0) await saveOrderState(tx, accountId, orderId, state);
  note(null, orderChanges);
  await appendHistory(tx, accountId, orderId, entries);
  return { changed: entries.length > 0, newFlags: newFlags(before, after, state) };
}

/** Rare: what was started here claims another try, so provider's ids change hands. */
async function releasePspIds(tx: Transaction, before: LoadedBook, after: OrderBook): Promise<void> {
  for (const known of before.transactions) {
    const now = findById(after, known.transactionId);
    if (known.pspTransactionId !== null && now?.pspTransactionId !== known.pspTransactionId) {
      await releasePspId(tx, before.order.accountId, known.transactionId);
    }
  }
}

/** The fresh one is inserted; those that changed hands follow. */
async function keepNotices(
  tx: Transaction,
  before: LoadedBook,
  after: OrderBook,
  cause: BookChange['cause'],
): Promise<void> {
  const { accountId } = before.order;
  for (const transaction of after.transactions) {
    const { transactionId } = transaction;
    for (const notice of transaction.notices) {
      const { deliveryKey } = notice;
      const holder = findHolder(before, transaction, deliveryKey);
      if (holder && holder.transactionId !== transactionId) {
        await moveNotice(tx, accountId, deliveryKey, {
          from: holder.transactionId,
          to: transactionId,
        });
      }
      const isFresh = typeof cause !== 'string' && deliveryKey === cause.deliveryKey;
      if (!holder && isFresh) {
        await insertNotice(tx, accountId, transactionId, cause.deliveryId, notice);
      }
    }
  }
}

function nothingOf(transaction: OrderTransaction): State {
  return Object.fromEntries(Object.keys(stateOf(transaction)).map((member) => [member, null]));
}

/** It turned out to be what was started here under another id. */
function isGone({ transactionId }: OrderTransaction, after: OrderBook): boolean {
  return findById(after, transactionId) === undefined;
}

function findById({ transactions }: OrderBook, id: string): OrderTransaction | undefined {
  return transactions.find(({ transactionId }) => transactionId === id);
}

/** One delivery may speak of a payment and of a refund, so a notice is known by its kind too. */
function findHolder(
  { transactions }: OrderBook,
  { type, provider }: OrderTransaction,
  key: string,
): OrderTransaction | undefined {
  return transactions.find(
    (entry) =>
      entry.type === type &&
      entry.provider === provider &&
      entry.notices.some(({ deliveryKey }) => deliveryKey === key),
  );
}

/** A transaction without the notices it was folded from. */
export function stateOf({ notices: _folded, ...state }: OrderTransaction): State {
  return state;
}

export function orderStateOf(order: Order): OrderState {
  return { status: order.savedStatus, attempts: order.attempts, flags: order.flags };
}

function newFlags(before: LoadedBook, after: OrderBook, state: OrderState): ReviewFlag[] {
  const count = (flags: readonly ReviewFlag[]) => Map.groupBy(flags, (flag) => flag);
  const had = count([...before.order.flags, ...before.transactions.flatMap(({ flags }) => flags)]);
  const has = count([...state.flags, ...after.transactions.flatMap(({ flags }) => flags)]);
  return [...has.keys()]
    .filter((flag) => (has.get(flag)?.length ?? 0) > (had.get(flag)?.length ?? 0))
    .sort();
}
