/** Orders with their transactions, loaded under lock. */
import type { Order } from '../../domain/orders/order.ts';
import type { OrderState } from '../../domain/transactions/order-state.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import type { StoredOrder } from '../../store/order-rows.ts';
import { lockOrders } from '../../store/orders.ts';
import { listTransactionsOf } from '../../store/transactions.ts';

export type OrderName = Pick<Order, 'accountId' | 'orderId'>;

/** Nobody else changes it until the transaction ends. */
export type LockedOrderState = OrderState & {
  readonly order: StoredOrder;
};

export async function lockOrderStates(
  tx: Transaction,
  names: readonly OrderName[],
): Promise<LockedOrderState[]> {
  if (names.length === 0) return [];
  // The second runs once the first has its locks, and so sees what the holders before left.
  const [orders, listed] = await Promise.all([
    lockOrders(tx, names),
    listTransactionsOf(tx, names),
  ]);
  return toOrderStates(orders, listed);
}

export async function lockOrderState(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<LockedOrderState> {
  const [orderState] = await lockOrderStates(tx, [{ accountId, orderId }]);
  if (!orderState) throw new Error(`order ${orderId} was found and is gone`);
  return orderState;
}

export async function loadOrderStates<Known extends StoredOrder>(
  database: Queryable,
  orders: readonly Known[],
): Promise<Array<OrderState & { readonly order: Known }>> {
  return toOrderStates(orders, await listTransactionsOf(database, orders));
}

function toOrderStates<Known extends StoredOrder>(
  orders: readonly Known[],
  listed: Awaited<ReturnType<typeof listTransactionsOf>>,
): Array<OrderState & { readonly order: Known }> {
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
