/**
 * Inserts the orders of a batch with one statement and one commit, and finds the deliveries parked for them. Orders with
 * a payment link have a statement of their own, so that the others cost what they would cost without links.
 */
import type { Order } from '../domain/orders/order.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Database, Queryable, Statement } from '../postgres/database.ts';
import { inOrder } from '../postgres/in-order.ts';
import { listParkedDeliveries } from './parked-deliveries.ts';

/** An order that is inserted together with its payment link. */
export type LinkedOrder = Order & { readonly linkId: string };

export type InsertedOrder = {
  /** False when its invoice has an order already. */
  readonly isNew: boolean;
  /** The deliveries parked for its invoice. None can be parked for its id, which is new. */
  readonly parked: readonly string[];
};

export function insertOrdersAndLook(
  database: Database,
  orders: readonly Order[],
): Promise<InsertedOrder[]> {
  return insertAndLook(database, orders, insertOrders);
}

export function insertLinkedOrdersAndLook(
  database: Database,
  orders: readonly LinkedOrder[],
): Promise<InsertedOrder[]> {
  return insertAndLook(database, orders, insertLinkedOrders);
}

/**
 * Ends the race between an order and the delivery that names it: a delivery looks for its order after it is stored, and
 * parked deliveries are listed here after the orders are committed, so at least one side sees the other.
 */
async function insertAndLook<Inserted extends Order>(
  database: Database,
  orders: readonly Inserted[],
  insert: (connection: Queryable, orders: readonly Inserted[]) => Promise<boolean[]>,
): Promise<InsertedOrder[]> {
  const invoices = orders.map(({ accountId, invoiceId }) => ({ accountId, names: [invoiceId] }));
  return database.pipelined(async (connection) => {
    const [isNew, parked] = await inOrder([
      () => insert(connection, orders),
      () => listParkedDeliveries(connection, invoices),
    ]);
    return orders.map((_order, place) => ({
      isNew: isNew[place] ?? false,
      parked: parked[place] ?? [],
    }));
  });
}

const rows = defineRows<Order>({
  account_id: ['text', ({ accountId }) => accountId],
  order_id: ['text', ({ orderId }) => orderId],
  invoice_id: ['text', ({ invoiceId }) => invoiceId],
  status: ['text', ({ savedStatus }) => savedStatus],
  attempts: ['integer', ({ attempts }) => attempts],
  currency: ['text', ({ amounts }) => amounts.currency],
  amount_before_tax: ['bigint', ({ amounts }) => amounts.beforeTax],
  tax: ['bigint', ({ amounts }) => amounts.tax],
  total_amount: ['bigint', ({ amounts }) => amounts.total],
  exchange_rate: ['text', ({ conversion }) => conversion?.rate],
  original_currency: ['text', ({ conversion }) => conversion?.original.currency],
  original_amount_before_tax: ['bigint', ({ conversion }) => conversion?.original.beforeTax],
  original_tax: ['bigint', ({ conversion }) => conversion?.original.tax],
  original_total_amount: ['bigint', ({ conversion }) => conversion?.original.total],
  user_id: ['text', ({ userId }) => userId],
  details: ['json', ({ details }) => details],
  content_digest: ['bytea', ({ contentDigest }) => contentDigest],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  lapses_at: ['timestamptz', ({ lapsesAt }) => lapsesAt],
});

/**
 * For each order whether it is new: false when its invoice already has an order, in the database or earlier in the
 * batch. Orders are inserted sorted, so that two batches with the same invoices lock them in the same order.
 */
export async function insertOrders(
  database: Queryable,
  orders: readonly Order[],
): Promise<boolean[]> {
  return listNew(database, orders, (sorted) => ({
    name: 'insert-orders',
    text: `insert into orders (${rows.names}) select row.* from ${rows.from}
           on conflict (account_id, invoice_id) do nothing
           returning order_id`,
    values: rows.toParameters(sorted),
  }));
}

/** The same with the links of the new orders. It is one statement, so no order is stored without its link. */
export async function insertLinkedOrders(
  database: Queryable,
  orders: readonly LinkedOrder[],
): Promise<boolean[]> {
  const linkIds = orders.map(({ accountId, orderId, linkId }) => [accountId + orderId, linkId]);
  return listNew(database, orders, (sorted) => {
    const values = [...rows.toParameters(sorted), JSON.stringify(Object.fromEntries(linkIds))];
    return {
      name: 'insert-linked-orders',
      text: `with inserted as (
               insert into orders (${rows.names}) select row.* from ${rows.from}
               on conflict (account_id, invoice_id) do nothing
               returning account_id, order_id, created_at),
             linked as (
               insert into payment_links (account_id, order_id, created_at, link_id)
               select account_id, order_id, created_at, $${values.length}::jsonb ->> (account_id || order_id)
                 from inserted)
             select order_id from inserted`,
      values,
    };
  });
}

async function listNew<Inserted extends Order>(
  database: Queryable,
  orders: readonly Inserted[],
  insert: (sorted: readonly Inserted[]) => Statement,
): Promise<boolean[]> {
  const sorted = orders.length === 1 ? orders : orders.toSorted(byInvoice);
  const result = await database.query<{ order_id: string }>(insert(sorted));
  const inserted = new Set(result.rows.map((row) => row.order_id));
  return orders.map(({ orderId }) => inserted.has(orderId));
}

function byInvoice(a: Order, b: Order): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.invoiceId < b.invoiceId ? -1 : 1;
}
