/** Loads orders with their transactions: under lock for those who change them, without for those who only read. */
import type { OrderState } from '../../domain/transactions/order-state.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import type { OrderName, StoredOrder } from '../../store/order-rows.ts';
import { lockOrders } from '../../store/orders.ts';
import { listTransactionsOf } from '../../store/transactions.ts';

/** Locked until the database transaction ends. */
export type LockedOrderState = OrderState & {
  readonly order: StoredOrder;
};

export async function lockOrderStates(
  tx: Transaction,
  names: readonly OrderName[],
): Promise<LockedOrderState[]> {
  if (names.length === 0) return [];
  // The list must run after the lock, so that it sees what the previous holder of the lock committed.
  const [orders, listed] = await inOrder([
    () => lockOrders(tx, names),
    () => listTransactionsOf(tx, names),
  ]);
  return toOrderStates(orders, listed);
}

export async function lockOrderState(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<LockedOrderState> {
  const [orderState] = await lockOrderStates(tx, [{ accountId, orderId }]);
  if (!orderState) throw new Error(`order ${orderId} was found and does not exist any more`);
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
  const byOrder = Map.groupBy(listed, orderKeyOf);
  return orders.map((order) => ({
    order,
    transactions: (byOrder.get(orderKeyOf(order)) ?? []).map(({ transaction }) => transaction),
    held: order.heldNotices ?? [],
  }));
}

/** Account and order as one text, for the keys of maps. */
export function orderKeyOf({ accountId, orderId }: OrderName): string {
  return `${accountId}/${orderId}`;
}
