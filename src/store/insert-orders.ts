/** Inserts the orders of many calls with one statement and one commit. */
import type { Order } from '../domain/order.ts';
import type { Queryable } from './database.ts';

/**
 * For each order whether it is new; false when its invoice has an order already, also one of this batch.
 * Sorted, so that two batches that share invoices wait for each other in the same direction.
 */
export async function insertOrders(
  database: Queryable,
  orders: readonly Order[],
): Promise<boolean[]> {
  const sorted = orders.length === 1 ? orders : orders.toSorted(byInvoice);
  const { rows } = await database.query<{ order_id: string }>({
    name: 'insert-orders',
    text: `insert into orders (
             account_id, order_id, invoice_id, status, attempts,
             currency, amount_before_tax, tax, total_amount,
             exchange_rate, original_currency, original_amount_before_tax, original_tax,
             original_total_amount, user_id, details, content_digest, created_at, lapses_at)
           select account_id, order_id, invoice_id, status, attempts,
             currency, amount_before_tax, tax, total_amount,
             exchange_rate, original_currency, original_amount_before_tax, original_tax,
             original_total_amount, user_id, details, decode(content_digest, 'hex'), created_at,
             lapses_at
             from json_to_recordset($1::json) as row (
               account_id text, order_id text, invoice_id text, status text, attempts integer,
               currency text, amount_before_tax bigint, tax bigint, total_amount bigint,
               exchange_rate text, original_currency text, original_amount_before_tax bigint,
               original_tax bigint, original_total_amount bigint, user_id text, details jsonb,
               content_digest text, created_at timestamptz, lapses_at timestamptz)
           on conflict (account_id, invoice_id) do nothing
           returning order_id`,
    values: [JSON.stringify(sorted.map(toRow))],
  });
  const inserted = new Set(rows.map((row) => row.order_id));
  return orders.map(({ orderId }) => inserted.has(orderId));
}

function byInvoice(a: Order, b: Order): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.invoiceId < b.invoiceId ? -1 : 1;
}

function toRow(order: Order) {
  const { amounts, conversion } = order;
  return {
    account_id: order.accountId,
    order_id: order.orderId,
    invoice_id: order.invoiceId,
    status: order.savedStatus,
    attempts: order.attempts,
    currency: amounts.currency,
    amount_before_tax: amounts.beforeTax,
    tax: amounts.tax,
    total_amount: amounts.total,
    ...(conversion && {
      exchange_rate: conversion.rate,
      original_currency: conversion.original.currency,
      original_amount_before_tax: conversion.original.beforeTax,
      original_tax: conversion.original.tax,
      original_total_amount: conversion.original.total,
    }),
    user_id: order.userId,
    details: order.details,
    content_digest: order.contentDigest.toString('hex'),
    created_at: order.createdAt,
    lapses_at: order.lapsesAt,
  };
}
