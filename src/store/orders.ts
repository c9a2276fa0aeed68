/** Orders: all SQL about them, and the way between rows and domain objects. */
import type { MinorUnits } from '../domain/money.ts';
import type { CurrencyConversion, Order, OrderDetails, OrderStatus } from '../domain/order.ts';
import type { Queryable } from './database.ts';

type OrderRow = {
  account_id: string;
  order_id: string;
  invoice_id: string;
  status: OrderStatus;
  attempts: number;
  currency: string;
  amount_before_tax: MinorUnits;
  tax: MinorUnits;
  total_amount: MinorUnits;
  exchange_rate: string | null;
  original_currency: string | null;
  original_amount_before_tax: MinorUnits | null;
  original_tax: MinorUnits | null;
  original_total_amount: MinorUnits | null;
  user_id: string | null;
  details: OrderDetails;
  content_digest: Buffer;
  created_at: Date;
  lapses_at: Date;
};

/** True when the order is new; false when its invoice has an order already. */
export async function insertOrder(database: Queryable, order: Order): Promise<boolean> {
  const { amounts, conversion } = order;
  const { rowCount } = await database.query({
    name: 'insert-order',
    text: `insert into orders (
             account_id, order_id, invoice_id, status, attempts,
             currency, amount_before_tax, tax, total_amount,
             exchange_rate, original_currency, original_amount_before_tax, original_tax,
             original_total_amount, user_id, details, content_digest, created_at, lapses_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
           on conflict (account_id, invoice_id) do nothing`,
    values: [
      order.accountId,
      order.orderId,
      order.invoiceId,
      order.savedStatus,
      order.attempts,
      amounts.currency,
      amounts.beforeTax,
      amounts.tax,
      amounts.total,
      conversion?.rate ?? null,
      conversion?.original.currency ?? null,
      conversion?.original.beforeTax ?? null,
      conversion?.original.tax ?? null,
      conversion?.original.total ?? null,
      order.userId,
      JSON.stringify(order.details),
      order.contentDigest,
      order.createdAt,
      order.lapsesAt,
    ],
  });
  return rowCount === 1;
}

export async function findOrder(
  database: Queryable,
  accountId: string,
  orderId: string,
): Promise<Order | undefined> {
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

function toOrder(row: OrderRow): Order {
  return {
    accountId: row.account_id,
    orderId: row.order_id,
    invoiceId: row.invoice_id,
    savedStatus: row.status,
    attempts: row.attempts,
    amounts: {
      currency: row.currency,
      beforeTax: row.amount_before_tax,
      tax: row.tax,
      total: row.total_amount,
    },
    conversion: toConversion(row),
    userId: row.user_id,
    details: row.details,
    contentDigest: row.content_digest,
    createdAt: row.created_at,
    lapsesAt: row.lapses_at,
  };
}

function toConversion(row: OrderRow): CurrencyConversion | null {
  if (row.exchange_rate === null || row.original_currency === null) return null;
  return {
    rate: row.exchange_rate,
    original: {
      currency: row.original_currency,
      beforeTax: row.original_amount_before_tax ?? 0,
      tax: row.original_tax ?? 0,
      total: row.original_total_amount ?? 0,
    },
  };
}
