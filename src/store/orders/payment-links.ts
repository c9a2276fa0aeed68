/** The table `payment_links`. The link of a new order is inserted with it, in `insert-orders.ts`. Contract 14.6. */
import type { Queryable } from '../../postgres/database.ts';
import { type OrderKey, type OrderRow, toOrder } from '../order-rows.ts';
import { changesOne, findValue, listRows } from '../query.ts';

type PaymentLink = OrderKey & { readonly linkId: string; readonly createdAt: Date };

/** False if the order has a link already. */
export function insertLink(database: Queryable, link: PaymentLink) {
  const values = [link.accountId, link.linkId, link.orderId, link.createdAt];
  return changesOne(database, values, 'insert-link')`
    insert into payment_links (account_id, link_id, order_id, created_at)
    values ($1, $2, $3, $4)
    on conflict (account_id, order_id) do nothing`;
}

export function findLinkId(database: Queryable, { accountId, orderId }: OrderKey) {
  return findValue<string>(database, [accountId, orderId], 'find-link-id')`
    select link_id from payment_links where account_id = $1 and order_id = $2`;
}

export async function findLinkedOrder(database: Queryable, accountId: string, linkId: string) {
  const rows = await listRows<OrderRow>(database, [accountId, linkId], 'find-linked-order')`
    select o.* from payment_links join orders o using (account_id, order_id)
     where account_id = $1 and link_id = $2`;
  return rows[0] && toOrder(rows[0]);
}
