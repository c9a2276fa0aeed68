/**
 * The table `payment_links`. The link of a new order is inserted with it, in `insert-orders.ts`. Contract 14.6 and 19.2.
 */
import type { PaymentLink } from '../../domain/orders/payment-link.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { sql } from '../../postgres/sql.ts';
import { type OrderKey, type OrderRow, toOrder } from '../order-rows.ts';
import { changesOne, execute, findRow } from '../query.ts';

type NewLink = OrderKey & { readonly linkId: string; readonly createdAt: Date };

/** False if the order has a link already. */
export function insertLink(database: Queryable, link: NewLink) {
  const values = [link.accountId, link.linkId, link.orderId, link.createdAt];
  return changesOne(database, values, 'insert-link')`
    insert into payment_links (account_id, link_id, order_id, created_at)
    values ($1, $2, $3, $4)
    on conflict (account_id, order_id) do nothing`;
}

type LinkRow = { link_id: string; cancelled_at: Date | null; opened_at: Date | null };

export async function findLink(database: Queryable, { accountId, orderId }: OrderKey) {
  const row = await findRow<LinkRow>(database, [accountId, orderId], 'find-link')`
    select link_id, cancelled_at, opened_at
      from payment_links left join checkouts using (account_id, order_id)
     where account_id = $1 and order_id = $2`;
  return row && toLink(row);
}

/** The order of a link, by the id of the link. */
export async function findLinkedOrder(database: Queryable, accountId: string, linkId: string) {
  const row = await findRow<LinkedRow>(database, [accountId, linkId], 'find-linked-order')`
    ${linkedOrders} where account_id = $1 and link_id = $2`;
  return row && toLinkedOrder(row);
}

/** The same by the invoice of the order. */
export async function findLinkOfInvoice(database: Queryable, accountId: string, invoiceId: string) {
  const row = await findRow<LinkedRow>(database, [accountId, invoiceId], 'find-link-of-invoice')`
    ${linkedOrders} where account_id = $1 and invoice_id = $2`;
  return row && toLinkedOrder(row);
}

/** The order must be locked. */
export async function saveLinkCancelled(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  cancelledAt: Date,
) {
  await execute(tx, [accountId, orderId, cancelledAt], 'save-link-cancelled')`
    update payment_links set cancelled_at = $3 where account_id = $1 and order_id = $2`;
}

const linkedOrders = sql`
  select o.*, link_id, cancelled_at, opened_at
    from payment_links join orders o using (account_id, order_id)
    left join checkouts using (account_id, order_id)`;

type LinkedRow = OrderRow & LinkRow;

function toLinkedOrder(row: LinkedRow) {
  return { order: toOrder(row), link: toLink(row) };
}

function toLink({ link_id, opened_at, cancelled_at }: LinkRow): PaymentLink {
  return { linkId: link_id, openedAt: opened_at, cancelledAt: cancelled_at };
}
