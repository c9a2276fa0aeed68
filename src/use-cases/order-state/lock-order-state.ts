/** Loads orders with their transactions: under lock for those who change them, without for those who only read. */
import { unloadedOf } from '../../domain/order-state/large-order.ts';
import type { OrderSummary } from '../../domain/order-state/order-state.ts';
import { listAnnounced } from '../../domain/order-state/relate.ts';
import type { SettledOrderState } from '../../domain/order-state/settle.ts';
import { type Order, ownLapseOf } from '../../domain/orders/order.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { OrderKey, StoredOrder } from '../../store/order-rows.ts';
import {
  type AccountPspKey,
  type LargeOrder,
  listAffectedTransactions,
  listTransactionIds,
} from '../../store/orders/large-orders.ts';
import { lockOrders, lockWholeOrders } from '../../store/orders/orders.ts';
import type { ListedTransaction } from '../../store/payments/transaction-rows.ts';
import { listTransactionsOf, listTransactionsOfSmall } from '../../store/payments/transactions.ts';

/** As it is stored. Locked until the database transaction ends. */
export type LockedOrderState<Known extends StoredOrder = StoredOrder> = SettledOrderState & {
  readonly order: Known;
};

type LockOptions = {
  /** Only what deliveries can change is loaded of large orders. Most are not large, so it is called when one is. */
  readonly findAffected?: () => {
    readonly keys: readonly AccountPspKey[];
    /** New transactions have ids that end with this or a higher text. */
    readonly lowestIdTime: string;
  };
  /** Reads all fields of the orders, for their events. */
  readonly isWhole?: boolean;
};

export async function lockOrderStates(
  tx: Transaction,
  keys: readonly OrderKey[],
  { findAffected, isWhole = false }: LockOptions = {},
): Promise<LockedOrderState[]> {
  if (keys.length === 0) return [];
  // The list must run after the lock, so that it sees what the previous holder of the lock committed.
  const [orders, listed] = await inOrder([
    () => (isWhole ? lockWholeOrders(tx, keys) : lockOrders(tx, keys)),
    () => listTransactionsOfSmall(tx, keys),
  ]);
  const large = orders.filter(isLarge);
  if (large.length === 0) return toOrderStates(orders, listed);
  const small = orders.filter((order) => !isLarge(order));
  return [
    ...toOrderStates(small, listed),
    ...(findAffected
      ? await loadPartly(tx, large, findAffected())
      : toOrderStates(large, await listTransactionsOf(tx, large))),
  ];
}

function isLarge(order: StoredOrder): order is LargeOrder {
  return order.tally !== undefined;
}

async function loadPartly(
  tx: Transaction,
  orders: readonly LargeOrder[],
  { keys, lowestIdTime }: ReturnType<NonNullable<LockOptions['findAffected']>>,
) {
  const firstIds = orders.map(({ accountId, orderId }) => ({
    accountId,
    orderId,
    idsFrom: `${orderId}-${lowestIdTime}`,
  }));
  const [listed, ids] = await inOrder([
    () => listAffectedTransactions(tx, orders, keys),
    () => listTransactionIds(tx, firstIds),
  ]);
  return toOrderStates(orders, listed).map((orderState, index) => {
    const { order, transactions } = orderState;
    const unloaded = unloadedOf(order.tally, transactions, order.amounts, {
      keys: keys.filter(({ accountId }) => accountId === order.accountId),
      idsFrom: firstIds[index]?.idsFrom ?? '',
      transactionIds: ids[index] ?? new Set(),
    });
    return { ...orderState, unloaded };
  });
}

export async function lockOrderState(tx: Transaction, accountId: string, orderId: string) {
  const [orderState] = await lockOrderStates(tx, [{ accountId, orderId }]);
  if (!orderState) throw new Error(`order ${orderId} was found and does not exist any more`);
  return orderState;
}

/** Loads all of an order. */
export async function loadOrderState<Known extends StoredOrder>(database: Queryable, order: Known) {
  return toOrderState(order, await listTransactionsOf(database, [order]));
}

function toOrderStates<Known extends StoredOrder>(
  orders: readonly Known[],
  listed: readonly ListedTransaction[],
) {
  const byOrder = Map.groupBy(listed, orderKeyOf);
  return orders.map((order) => toOrderState(order, byOrder.get(orderKeyOf(order)) ?? []));
}

function toOrderState<Known extends StoredOrder>(
  order: Known,
  listed: readonly ListedTransaction[],
): LockedOrderState<Known> {
  const transactions = listed.map(({ transaction }) => transaction);
  const announcedDuplicates = listAnnounced(transactions);
  const { heldNotices: held = [], disputeNotices, operations } = order;
  const summary = orderSummaryOf(order);
  return {
    order,
    transactions,
    held,
    announcedDuplicates,
    summary,
    ...(disputeNotices && { disputeNotices }),
    ...(operations && { operations }),
  };
}

/** The order's summary as it is stored. */
export function orderSummaryOf(order: StoredOrder): OrderSummary {
  const { savedStatus, attempts, flags, ownLapsesAt, lapsesAt } = order;
  const heldUntilMs = ownLapsesAt ? lapsesAt.getTime() : null;
  return { status: savedStatus, attempts, flags, heldUntilMs };
}

/** The order as it is once its new state is saved. */
export function withSummary<Known extends Order>(order: Known, state: SettledOrderState): Known {
  const { status: savedStatus, attempts, flags, heldUntilMs } = state.summary;
  const { ownLapsesAt: _own, ...others } = order;
  const own = ownLapseOf(order);
  const times = heldUntilMs === null ? { lapsesAt: own } : heldTimes(own, heldUntilMs);
  return { ...others, savedStatus, attempts, flags, ...times } as Known;
}

const heldTimes = (ownLapsesAt: Date, heldUntilMs: number) => ({
  lapsesAt: new Date(heldUntilMs),
  ownLapsesAt,
});

/** Account and order as one text, for the keys of maps. */
export function orderKeyOf({ accountId, orderId }: OrderKey): string {
  return `${accountId}/${orderId}`;
}
