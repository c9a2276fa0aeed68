/** Orders with their transactions, loaded under lock. */
import type { Order } from '../domain/order.ts';
import type { OrderBook } from '../domain/order-book.ts';
import type { Queryable, Transaction } from '../store/database.ts';
import { lockOrders } from '../store/orders.ts';
import { listTransactionsOf } from '../store/transactions.ts';

export type OrderName = Pick<Order, 'accountId' | 'orderId'>;

/** Nobody else changes it until the transaction ends. */
export type LockedBook = OrderBook & { readonly order: Order };

export async function lockBooks(
  tx: Transaction,
  names: readonly OrderName[],
): Promise<LockedBook[]> {
  return names.length === 0 ? [] : loadBooks(tx, await lockOrders(tx, names));
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

export async function loadBooks(
  database: Queryable,
  orders: readonly Order[],
): Promise<LockedBook[]> {
  const listed = await listTransactionsOf(database, orders);
  const byOrder = Map.groupBy(listed, ({ orderId }) => orderId);
  return orders.map((order) => ({
    order,
    transactions: (byOrder.get(order.orderId) ?? []).map(({ transaction }) => transaction),
  }));
}
