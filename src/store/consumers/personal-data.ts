/** The one-time scan of orders that were stored before bank accounts were sealed and the history was masked. */
import type { Order } from '../../domain/orders/order.ts';
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import type { OrderKey } from '../order-rows.ts';
import { queryPerAccount } from '../per-account.ts';

export type ScannedOrder = OrderKey & {
  /** The bank account is stored in clear, or the history may contain the consumer because a call changed the order. */
  readonly mayHoldClearText: boolean;
};

/** The last order that was scanned; undefined when the scan is complete or was never needed. */
export async function findCursor(database: Queryable): Promise<OrderKey | undefined> {
  const { rows } = await database.query<{ account_id: string; order_id: string }>({
    text: `select account_id, order_id from sweep_cursors where name = 'personal-data'`,
  });
  return rows[0] && { accountId: rows[0].account_id, orderId: rows[0].order_id };
}

/** Only updates: a concurrent scan may have reached the end and deleted the cursor. */
export async function moveCursor(
  database: Queryable,
  { accountId, orderId }: OrderKey,
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
  database: Database,
  after: OrderKey,
  limit: number,
): Promise<ScannedOrder[]> {
  const { rows } = await database.query<ScannedOrder>({
    text: `select account_id as "accountId", order_id as "orderId",
                  coalesce(json_typeof(details->'bankAccount') = 'object', false) as "mayHoldClearText"
             from orders where (account_id, order_id) > ($1, $2)
            order by account_id, order_id limit $3`,
    values: [after.accountId, after.orderId, limit],
  });
  const changed = await database.pipelined((connection) => listChanged(connection, rows));
  return rows.map((row) => ({
    ...row,
    mayHoldClearText: row.mayHoldClearText || changed.has(row.orderId),
  }));
}

/** The orders of these that a call has changed. */
async function listChanged(
  database: Queryable,
  orders: readonly OrderKey[],
): Promise<ReadonlySet<string>> {
  const rows = await queryPerAccount<{ order_id: string }, OrderKey>(
    database,
    orders,
    (accountId, own) => ({
      name: 'list-orders-changed-by-calls',
      text: `select distinct order_id from history
              where account_id = $1 and order_id = any($2::text[])
                and cause in ('update-order', 'resolve-user')`,
      values: [accountId, own.map(({ orderId }) => orderId)],
    }),
  );
  return new Set(rows.map((row) => row.order_id));
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
