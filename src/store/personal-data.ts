/** The one-time scan of orders that were stored before bank accounts were sealed and the history was masked. */
import type { Order } from '../domain/orders/order.ts';
import type { Queryable, Transaction } from '../postgres/database.ts';
import type { OrderName } from './order-rows.ts';

export type ScannedOrder = OrderName & {
  /** The bank account is stored in clear, or the history may contain the consumer because a call changed the order. */
  readonly mayHoldClearText: boolean;
};

/** The last order that was scanned; undefined when the scan is complete or was never needed. */
export async function findCursor(database: Queryable): Promise<OrderName | undefined> {
  const { rows } = await database.query<{ account_id: string; order_id: string }>({
    text: `select account_id, order_id from sweep_cursors where name = 'personal-data'`,
  });
  return rows[0] && { accountId: rows[0].account_id, orderId: rows[0].order_id };
}

/** Only updates: a concurrent scan may have reached the end and deleted the cursor. */
export async function moveCursor(
  database: Queryable,
  { accountId, orderId }: OrderName,
): Promise<void> {
  await database.query({
    text: `update sweep_cursors set account_id = $1, order_id = $2 where name = 'personal-data'`,
    values: [accountId, orderId],
  });
}

/** Ends the scan for good. */
export async function deleteCursor(database: Queryable): Promise<void> {
  await database.query({ text: `delete from sweep_cursors where name = 'personal-data'` });
}

export async function listOrdersToScan(
  database: Queryable,
  after: OrderName,
  limit: number,
): Promise<ScannedOrder[]> {
  type Row = { account_id: string; order_id: string; may_hold_clear_text: boolean };
  const { rows } = await database.query<Row>({
    text: `select account_id, order_id,
                  coalesce(json_typeof(details->'bankAccount') = 'object', false)
                    or exists (select from history h
                                where h.account_id = o.account_id and h.order_id = o.order_id
                                  and h.cause in ('update-order', 'resolve-user'))
                    as may_hold_clear_text
             from orders o
            where (account_id, order_id) > ($1, $2)
            order by account_id, order_id limit $3`,
    values: [after.accountId, after.orderId, limit],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    orderId: row.order_id,
    mayHoldClearText: row.may_hold_clear_text,
  }));
}

/** The order must be locked. */
export async function saveSealedContent(
  tx: Transaction,
  { accountId, orderId, details, contentDigest }: Order,
): Promise<void> {
  await tx.query({
    text: `update orders set details = $3, content_digest = $4
            where account_id = $1 and order_id = $2`,
    values: [accountId, orderId, JSON.stringify(details), contentDigest],
  });
}
