/** Inserts the orders of a batch with one statement and one commit, and finds the deliveries parked for them. */
import type { Order } from '../domain/orders/order.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Database, Queryable } from '../postgres/database.ts';
import { inOrder } from '../postgres/in-order.ts';
import { listParkedDeliveries } from './parked-deliveries.ts';

export type InsertedOrder = {
  /** False when its invoice has an order already. */
  readonly isNew: boolean;
  /** The deliveries parked for its invoice. None can be parked for its id, which is new. */
  readonly parked: readonly string[];
};

/**
 * Ends the race between an order and the delivery that names it: a delivery looks for its order after it is stored, and
 * parked deliveries are listed here after the orders are committed, so at least one side sees the other.
 */
export async function insertOrdersAndLook(
  database: Database,
  orders: readonly Order[],
): Promise<InsertedOrder[]> {
  const invoices = orders.map(({ accountId, invoiceId }) => ({ accountId, names: [invoiceId] }));
  return database.pipelined(async (connection) => {
    const [isNew, parked] = await inOrder([
      () => insertOrders(connection, orders),
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
  const sorted = orders.length === 1 ? orders : orders.toSorted(byInvoice);
  const result = await database.query<{ order_id: string }>({
    name: 'insert-orders',
    text: `insert into orders (${rows.names}) select row.* from ${rows.from}
           on conflict (account_id, invoice_id) do nothing
           returning order_id`,
    values: rows.toParameters(sorted),
  });
  const inserted = new Set(result.rows.map((row) => row.order_id));
  return orders.map(({ orderId }) => inserted.has(orderId));
}

function byInvoice(a: Order, b: Order): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.invoiceId < b.invoiceId ? -1 : 1;
}
