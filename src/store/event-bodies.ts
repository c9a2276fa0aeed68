/** Bodies of events are deleted by age, and erased with the personal data of a consumer. */
import type { EventName } from '../domain/ids.ts';
import type { Database, Queryable, Transaction } from '../postgres/database.ts';
import type { OrderName } from './order-rows.ts';
import {
  columnsOf,
  firstRow,
  lockRowCursor,
  type RowCursor,
  saveRowCursor,
} from './sweep-cursors.ts';

/** No endpoint waits for it, and nobody has to look at it. */
const isDelivered = `not exists (select from event_deliveries d
  where d.account_id = e.account_id and d.order_id = e.order_id and d.sequence = e.sequence
    and d.state <> 'delivered')`;

const isWaiting = `exists (select from event_deliveries d
  where d.account_id = e.account_id and d.order_id = e.order_id and d.sequence = e.sequence
    and d.state = 'pending')`;

/**
 * Scans the next `limit` events from where the last call stopped, and starts over after the last one: an index by age
 * would cost every event. Old ones that were delivered lose their body and the log of their attempts. Returns how many
 * events it scanned.
 */
export function pruneEvents(
  database: Database,
  occurredBefore: Date,
  limit: number,
): Promise<number> {
  return database.transaction(async (tx) => {
    const cursor = await lockRowCursor(tx, 'events');
    const { rows } = await tx.query<RowCursor & { is_old: boolean }>({
      text: `select account_id, order_id, sequence as position,
                    body is not null and occurred_at < $4 as is_old
               from events where (account_id, order_id, sequence) > ($1, $2, $3)
              order by account_id, order_id, sequence limit $5`,
      values: [cursor.account_id, cursor.order_id, cursor.position, occurredBefore, limit],
    });
    await removeBodies(
      tx,
      rows.filter(({ is_old }) => is_old),
    );
    await saveRowCursor(tx, 'events', rows.length < limit ? firstRow : (rows.at(-1) ?? firstRow));
    return rows.length;
  });
}

async function removeBodies(tx: Transaction, old: readonly RowCursor[]): Promise<void> {
  if (old.length === 0) return;
  const { rows } = await tx.query<RowCursor>({
    text: `update events e set body = null
            where (e.account_id, e.order_id, e.sequence) in
                  (select * from unnest($1::text[], $2::text[], $3::integer[]))
              and ${isDelivered}
           returning account_id, order_id, sequence as position`,
    values: columnsOf(old),
  });
  await tx.query({
    text: `delete from event_attempts e
            where (e.account_id, e.order_id, e.sequence) in
                  (select * from unnest($1::text[], $2::text[], $3::integer[]))`,
    values: columnsOf(rows),
  });
}

/** Also deletes what endpoints answered, which may repeat the body. */
export async function deleteFinishedBodies(
  tx: Transaction,
  { accountId, orderId }: OrderName,
): Promise<number> {
  await tx.query({
    text: 'update event_attempts set response = null where account_id = $1 and order_id = $2',
    values: [accountId, orderId],
  });
  const { rowCount } = await tx.query({
    text: `update events e set body = null
            where account_id = $1 and order_id = $2 and body is not null and not ${isWaiting}`,
    values: [accountId, orderId],
  });
  return rowCount ?? 0;
}

export async function listWaitingBodies(
  database: Queryable,
  { accountId, orderId }: OrderName,
): Promise<Array<{ readonly sequence: number; readonly body: Buffer }>> {
  const { rows } = await database.query<{ sequence: number; body: Buffer }>({
    text: `select sequence, body from events
            where account_id = $1 and order_id = $2 and body is not null order by sequence`,
    values: [accountId, orderId],
  });
  return rows;
}

/** An event without a body cannot be sent any more. */
export async function saveEventBody(
  tx: Transaction,
  { accountId, orderId, sequence }: EventName,
  body: Buffer | null,
): Promise<void> {
  const name = [accountId, orderId, sequence];
  await tx.query({
    text: 'update events set body = $4 where account_id = $1 and order_id = $2 and sequence = $3',
    values: [...name, body],
  });
  if (body !== null) return;
  await tx.query({
    text: `update event_deliveries set state = 'undelivered', next_attempt_at = null
            where account_id = $1 and order_id = $2 and sequence = $3 and state = 'pending'`,
    values: name,
  });
}
