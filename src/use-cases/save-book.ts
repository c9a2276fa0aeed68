/** Writes down what changed in an order's book, with a history row for every change. Decision 4.7. */
import { type Change, listChanges, type State } from '../domain/history.ts';
import type { ReviewFlag } from '../domain/notice.ts';
import type { Order } from '../domain/order.ts';
import type { OrderBook, OrderState } from '../domain/order-book.ts';
import type { Transaction as OrderTransaction } from '../domain/transaction.ts';
import type { Transaction } from '../store/database.ts';
import type { Delivery } from '../store/deliveries.ts';
import { appendHistory, type HistoryEntry } from '../store/history.ts';
import { saveOrderState } from '../store/orders.ts';
import { insertNotice, saveTransaction } from '../store/transactions.ts';

export type SavedBook = {
  readonly changed: boolean;
  /** Flags that were not there before, on the order or any of its transactions. */
  readonly newFlags: readonly ReviewFlag[];
};

export async function saveBook(
  tx: Transaction,
  before: OrderBook & { readonly order: Order },
  after: OrderBook,
  { state, delivery, now }: { state: OrderState; delivery: Delivery; now: Date },
): Promise<SavedBook> {
  const { accountId, orderId } = before.order;
  const entries: HistoryEntry[] = [];
  const note = (transactionId: string | null, changes: readonly Change[]) => {
    if (changes.length === 0) return;
    entries.push({ transactionId, changes, cause: delivery.deliveryId, happenedAt: now });
  };

  for (const transaction of after.transactions) {
    const known = before.transactions.find(
      ({ transactionId }) => transactionId === transaction.transactionId,
    );
    const changes = listChanges(known && stateOf(known), stateOf(transaction));
    if (changes.length > 0) await saveTransaction(tx, accountId, orderId, transaction);
    note(transaction.transactionId, changes);
    const fresh = transaction.notices.find(
      ({ deliveryKey }) => deliveryKey === delivery.deliveryKey,
    );
    if (fresh && (known?.notices.length ?? 0) < transaction.notices.length) {
      await insertNotice(tx, accountId, transaction.transactionId, delivery.deliveryId, fresh);
    }
  }

  const orderChanges = listChanges(orderStateOf(before.order), state);
  if (orderChanges.length > 0) await saveOrderState(tx, accountId, orderId, state);
  note(null, orderChanges);
  await appendHistory(tx, accountId, orderId, entries);
  return { changed: entries.length > 0, newFlags: newFlags(before, after, state) };
}

/** A transaction without the notices it was folded from. */
export function stateOf({ notices: _folded, ...state }: OrderTransaction): State {
  return state;
}

export function orderStateOf(order: Order): OrderState {
  return { status: order.savedStatus, attempts: order.attempts, flags: order.flags };
}

function newFlags(
  before: OrderBook & { readonly order: Order },
  after: OrderBook,
  state: OrderState,
): ReviewFlag[] {
  const count = (flags: readonly ReviewFlag[]) => Map.groupBy(flags, (flag) => flag);
  const had = count([...before.order.flags, ...before.transactions.flatMap(({ flags }) => flags)]);
  const has = count([...state.flags, ...after.transactions.flatMap(({ flags }) => flags)]);
  return [...has.keys()]
    .filter((flag) => (has.get(flag)?.length ?? 0) > (had.get(flag)?.length ?? 0))
    .sort();
}
