/** Inserts the orders of many calls with one statement and one commit, and finds who waited for them. */
import type { Order } from '../domain/orders/order.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Database, Queryable } from '../postgres/database.ts';
import { listParkedDeliveries } from './parked-deliveries.ts';

export type InsertedOrder = {
  /** False when its invoice has an order already. */
  readonly isNew: boolean;
  /** Deliveries that wait for its invoice. Its own id was never heard of before. */
  readonly waiting: readonly string[];
};

/**
 * Whoever waits looks for the order once it is kept, and here is looked for those who wait once the orders
 * are there for all to see, so one of them sees the other. Both questions leave in one write.
 */
export async function insertOrdersAndLook(
  database: Database,
  orders: readonly Order[],
): Promise<InsertedOrder[]> {
  const waited = orders.map(({ accountId, invoiceId }) => ({ accountId, names: [invoiceId] }));
  return database.pipelined(async (connection) => {
    const [isNew, waiting] = await Promise.all([
      insertOrders(connection, orders),
      listParkedDeliveries(connection, waited),
    ]);
    return orders.map((_order, place) => ({
      isNew: isNew[place] ?? false,
      waiting: waiting[place] ?? [],
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
 * For each order whether it is new; false when its invoice has an order already, also one of this batch.
 * Sorted, so that two batches that share invoices wait for each other in the same direction.
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
