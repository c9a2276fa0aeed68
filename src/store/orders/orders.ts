/** Reads and updates of the table `orders`. Inserts are in `insert-orders.ts`. */

import type { OrderSummary } from '../../domain/order-state/order-state.ts';
import type { StoredTally } from '../../domain/order-state/tally.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { HeldNotice } from '../../domain/payments/records.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { type OrderKey, type OrderRow, orderIds, toOrder, toStoredOrder } from '../order-rows.ts';
import { defineAccountRows, queryPerAccount } from '../per-account.ts';
import { changesOne, execute, listRows } from '../query.ts';

export async function findOrder(database: Queryable, accountId: string, orderId: string) {
  const { rows } = await database.query<OrderRow>({
    name: 'find-order',
    text: 'select * from orders where account_id = $1 and order_id = $2',
    values: [accountId, orderId],
  });
  return rows[0] && toOrder(rows[0]);
}

export async function findOrderByInvoice(
  database: Queryable,
  accountId: string,
  invoiceId: string,
): Promise<Order | undefined> {
  const { rows } = await database.query<OrderRow>({
    name: 'find-order-by-invoice',
    text: 'select * from orders where account_id = $1 and invoice_id = $2',
    values: [accountId, invoiceId],
  });
  return rows[0] && toOrder(rows[0]);
}

/**
 * The one lock that ends every race between changes of an order or its transactions. Several orders are locked in key
 * order, account by account, so that two transactions cannot deadlock.
 */
export async function lockOrders(tx: Transaction, keys: readonly OrderKey[]) {
  const columns = `o.account_id, o.order_id, o.status, o.attempts, o.currency, o.amount_before_tax, o.tax,
                   o.total_amount, o.created_at, o.lapses_at, o.flags, o.user_id, o.held_notices,
                   o.tally, o.erased_at, o.event_sequence`;
  return (await lockRows(tx, keys, 'lock-orders', columns)).map(toStoredOrder);
}

/** The same with all fields, for those whose changes are announced. */
export async function lockWholeOrders(tx: Transaction, keys: readonly OrderKey[]) {
  return (await lockRows(tx, keys, 'lock-whole-orders', 'o.*')).map(toOrder);
}

async function lockRows(tx: Transaction, keys: readonly OrderKey[], name: string, columns: string) {
  return queryPerAccount<OrderRow, OrderKey>(tx, keys, (accountId, own) => ({
    name,
    text: `select ${columns} from orders o where o.account_id = $1 and o.order_id = any($2::text[])
            order by o.order_id for update`,
    values: orderIds.toParameters(accountId, own),
  }));
}

/** Whole orders, in no particular order. */
export async function listOrdersByKey(database: Queryable, keys: readonly OrderKey[]) {
  const rows = await queryPerAccount<OrderRow, OrderKey>(database, keys, (accountId, own) => ({
    name: 'list-orders-by-name',
    text: 'select * from orders where account_id = $1 and order_id = any($2::text[])',
    values: orderIds.toParameters(accountId, own),
  }));
  return rows.map(toOrder);
}

/** The same lock for one order, which is returned with all its fields. */
export async function lockOrder(tx: Transaction, accountId: string, orderId: string) {
  const { rows } = await tx.query<OrderRow>({
    name: 'lock-order',
    text: 'select * from orders where account_id = $1 and order_id = $2 for update',
    values: [accountId, orderId],
  });
  return rows[0] && toOrder(rows[0]);
}

type SavedState = OrderKey & {
  readonly state: OrderSummary;
  readonly held: readonly HeldNotice[];
  readonly tally: StoredTally | null;
  readonly eventSequence: number;
};

const states = defineAccountRows<SavedState>(
  { text: ['orderId'], json: ['tally'], integer: ['eventSequence'] },
  {
    status: ['text', ({ state }) => state.status],
    attempts: ['integer', ({ state }) => state.attempts],
    flags: ['text[]', ({ state }) => state.flags],
    held_notices: ['json', ({ held }) => (held.length === 0 ? null : held)],
  },
);

export async function saveOrderSummaries(tx: Transaction, saved: readonly SavedState[]) {
  await queryPerAccount(tx, saved, (accountId, own) => ({
    name: 'save-order-summaries',
    text: `update orders o set status = row.status, attempts = row.attempts, flags = row.flags,
                             held_notices = row.held_notices, tally = row.tally,
                             event_sequence = row.event_sequence
             from ${states.from}
            where o.account_id = $1 and o.order_id = row.order_id`,
    values: states.toParameters(accountId, own),
  }));
}

/** Counts a change made with one of the order's tokens. False, and nothing is counted, when there were `max` already. */
export function addTokenChange(tx: Transaction, { accountId, orderId }: OrderKey, max: number) {
  return changesOne(tx, [accountId, orderId, max], 'add-token-change')`
    update orders set token_changes = token_changes + 1
     where account_id = $1 and order_id = $2 and token_changes < $3`;
}

/** Saves the fields that resolve user and update order may change. The order must be locked. */
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
  ];
  await execute(tx, values, 'save-order-content')`
    update orders
       set amount_before_tax = $3, tax = $4, total_amount = $5,
           original_amount_before_tax = $6, original_tax = $7, original_total_amount = $8,
           user_id = $9, restricted = $10, details = $11, earlier_consumers = $12
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
