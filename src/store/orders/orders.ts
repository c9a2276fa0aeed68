/** Reads and updates of the table `orders`. Inserts are in `insert-orders.ts`. */

import type { StoredDisputeNotice } from '../../domain/disputes/dispute.ts';
import type { OrderSummary } from '../../domain/order-state/order-state.ts';
import type { StoredTally } from '../../domain/order-state/tally.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { RequestedOperation } from '../../domain/payments/operation.ts';
import type { HeldNotice } from '../../domain/payments/records.ts';
import { toDate } from '../../domain/time.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { type Sql, sql } from '../../postgres/sql.ts';
import { type OrderKey, type OrderRow, orderIds, toOrder, toStoredOrder } from '../order-rows.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { changesOne, execute, findRow, listRows } from '../query.ts';

export async function findOrder(database: Queryable, accountId: string, orderId: string) {
  const row = await findRow<OrderRow>(database, [accountId, orderId], 'find-order')`
    select * from orders where account_id = $1 and order_id = $2`;
  return row && toOrder(row);
}

export async function findOrderByInvoice(
  database: Queryable,
  accountId: string,
  invoiceId: string,
) {
  const row = await findRow<OrderRow>(database, [accountId, invoiceId], 'find-order-by-invoice')`
    select * from orders where account_id = $1 and invoice_id = $2`;
  return row && toOrder(row);
}

/**
 * The one lock that ends every race between changes of an order or its transactions. Several orders are locked in key
 * order, account by account, so that two transactions cannot deadlock.
 */
export async function lockOrders(tx: Transaction, keys: readonly OrderKey[]) {
  return (await lockRows(tx, keys, 'lock-orders', storedColumns)).map(toStoredOrder);
}

const storedColumns = sql`o.account_id, o.order_id, o.status, o.attempts, o.currency, o.amount_before_tax, o.tax,
                          o.total_amount, o.created_at, o.lapses_at, o.own_lapses_at, o.flags, o.user_id,
                          o.held_notices, o.dispute_notices, o.operations, o.tally, o.erased_at, o.event_sequence`;

/** The same with all fields, for those whose changes are announced. */
export async function lockWholeOrders(tx: Transaction, keys: readonly OrderKey[]) {
  return (await lockRows(tx, keys, 'lock-whole-orders', wholeColumns)).map(toOrder);
}

const wholeColumns = sql`o.*`;

function lockRows(tx: Transaction, keys: readonly OrderKey[], name: string, columns: Sql) {
  return orderIds.query<OrderRow>(tx, keys, name)`
    select ${columns} from ${orderIds.from} join orders o
        on o.account_id = ${accountOf('row')} and o.order_id = row.order_id
     order by o.account_id, o.order_id for update of o`;
}

/** Whole orders, in no particular order. */
export async function listOrdersByKey(database: Queryable, keys: readonly OrderKey[]) {
  const rows = await orderIds.query<OrderRow>(database, keys, 'list-orders-by-name')`
    select o.* from ${orderIds.from} join orders o
        on o.account_id = ${accountOf('row')} and o.order_id = row.order_id`;
  return rows.map(toOrder);
}

/** The same lock for one order, which is returned with all its fields. */
export async function lockOrder(tx: Transaction, accountId: string, orderId: string) {
  const row = await findRow<OrderRow>(tx, [accountId, orderId], 'lock-order')`
    select * from orders where account_id = $1 and order_id = $2 for update`;
  return row && toOrder(row);
}

type SavedState = OrderKey & {
  readonly state: OrderSummary;
  readonly held: readonly HeldNotice[];
  readonly disputeNotices?: readonly StoredDisputeNotice[] | undefined;
  readonly operations?: readonly RequestedOperation[] | undefined;
  readonly tally: StoredTally | null;
  readonly eventSequence: number;
};

const states = defineAccountRows<SavedState>(
  {
    text: ['orderId'],
    json: ['disputeNotices', 'operations', 'tally'],
    integer: ['eventSequence'],
  },
  {
    status: ['text', ({ state }) => state.status],
    attempts: ['integer', ({ state }) => state.attempts],
    flags: ['text[]', ({ state }) => state.flags],
    held_notices: ['json', ({ held }) => (held.length === 0 ? null : held)],
    held_until: ['timestamptz', ({ state }) => toDate(state.heldUntilMs)],
  },
);

export async function saveOrderSummaries(tx: Transaction, saved: readonly SavedState[]) {
  await states.query(tx, saved, 'save-order-summaries')`
    update orders o set status = row.status, attempts = row.attempts, flags = row.flags,
                      held_notices = row.held_notices, dispute_notices = row.dispute_notices,
                      operations = row.operations, tally = row.tally, event_sequence = row.event_sequence,
                      lapses_at = coalesce(row.held_until, o.own_lapses_at, o.lapses_at),
                      own_lapses_at = case when row.held_until is null then null
                                      else coalesce(o.own_lapses_at, o.lapses_at) end
      from ${states.from}
     where o.account_id = ${accountOf('row')} and o.order_id = row.order_id`;
}

/** Counts a change made with one of the order's tokens. False, and nothing is counted, when there were `max` already. */
export function addTokenChange(tx: Transaction, { accountId, orderId }: OrderKey, max: number) {
  return changesOne(tx, [accountId, orderId, max], 'add-token-change')`
    update orders set token_changes = token_changes + 1
     where account_id = $1 and order_id = $2 and token_changes < $3`;
}

/** Saves the fields that resolve user, update order and changes of a payment link set. The order must be locked. */
export async function saveOrderContent(tx: Transaction, order: Order) {
  const { amounts, conversion } = order;
  const values = [
    order.accountId,
    order.orderId,
    amounts.beforeTax,
    amounts.tax,
    amounts.total,
    conversion?.original.beforeTax ?? null,
    conversion?.original.tax ?? null,
    conversion?.original.total ?? null,
    order.userId,
    order.restricted,
    JSON.stringify(order.details),
    order.earlierConsumers ? JSON.stringify(order.earlierConsumers) : null,
    order.lapsesAt,
    order.ownLapsesAt ?? null,
  ];
  await execute(tx, values, 'save-order-content')`
    update orders
       set amount_before_tax = $3, tax = $4, total_amount = $5,
           original_amount_before_tax = $6, original_tax = $7, original_total_amount = $8,
           user_id = $9, restricted = $10, details = $11, earlier_consumers = $12,
           lapses_at = $13, own_lapses_at = $14
     where account_id = $1 and order_id = $2`;
}

/** One page of the orders of all accounts, by key. */
export async function listOrdersAfter(
  database: Queryable,
  last: OrderKey | undefined,
  limit: number,
): Promise<Order[]> {
  const values = [last?.accountId ?? '', last?.orderId ?? '', limit];
  const rows = await listRows<OrderRow>(database, values)`
    select * from orders where (account_id, order_id) > ($1, $2)
     order by account_id, order_id limit $3`;
  return rows.map(toOrder);
}
