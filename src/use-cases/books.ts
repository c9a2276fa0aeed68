/** Orders with their transactions, loaded under lock. */
import type { Order } from '../domain/order.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Queryable, Transaction } from '../store/database.ts';
import { type BookedOrder, lockOrders } from '../store/orders.ts';
import { listTransactionsOf } from '../store/transactions.ts';

export type OrderName = Pick<Order, 'accountId' | 'orderId'>;

/** Nobody else changes it until the transaction ends. */
export type LockedBook = OrderBook & {
  readonly order: BookedOrder;
};

export async function lockBooks(
  tx: Transaction,
  names: readonly OrderName[],
): Promise<LockedBook[]> {
  if (names.length === 0) return [];
  // The second runs once the first has its locks, and so sees what the holders before left.
  const [orders, listed] = await Promise.all([
    lockOrders(tx, names),
    listTransactionsOf(tx, names),
  ]);
  return toBooks(orders, listed);
}

export async function lockBook(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<LockedBook> {
  const [book] = await lockBooks(tx, [{ accountId, orderId }]);
  if (!book) throw new Error(`order ${orderId} was found and is gone`);
  return book;
}

export async function loadBooks<Known extends BookedOrder>(
  database: Queryable,
  orders: readonly Known[],
): Promise<Array<OrderBook & { readonly order: Known }>> {
  return toBooks(orders, await listTransactionsOf(database, orders));
}

function toBooks<Known extends BookedOrder>(
  orders: readonly Known[],
  listed: Awaited<ReturnType<typeof listTransactionsOf>>,
): Array<OrderBook & { readonly order: Known }> {
  const byOrder = Map.groupBy(listed, nameOf);
  return orders.map((order) => ({
    order,
    transactions: (byOrder.get(nameOf(order)) ?? []).map(({ transaction }) => transaction),
    held: order.heldNotices ?? [],
  }));
}

/** An order of any account as one text, for maps. */
export function nameOf({ accountId, orderId }: OrderName): string {
  return `${accountId}/${orderId}`;
}
