/** Bodies of events are deleted by age, and erased with the personal data of a consumer. */
import type { EventKey } from '../../domain/ids.ts';
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import type { OrderKey } from '../order-rows.ts';
import { defineAccountRows } from '../per-account.ts';
import { countChanges, execute, listRows } from '../query.ts';
import { type RowCursor, sweepRows } from '../sweep-cursors.ts';

type EventRowKey = RowCursor & { readonly endpointId: string };
type EventRow = EventRowKey & { readonly isOld: boolean };

const keyColumns = sql`${columnsOf('accountId, orderId, endpointId')}, sequence as position`;

/**
 * Visits the next rows, about `limit` of them, and returns how many they were. Old events that were delivered, or whose
 * endpoint was deleted, lose their body and the log of their attempts.
 */
export function pruneEvents(database: Database, occurredBefore: Date, limit: number) {
  return sweepRows<EventRow>(database, {
    name: 'events',
    limit,
    listAfter: (tx, key) => {
      // With ties: the cursor does not name the endpoint, so it stands behind all rows of an event.
      return listRows<EventRow>(tx, [...key, occurredBefore, limit])`
        select ${keyColumns}, body is not null and occurred_at < $4 as "isOld"
          from events where (account_id, order_id, sequence) > ($1, $2, $3)
         order by account_id, order_id, sequence fetch first $5 rows with ties`;
    },
    prune: removeBodies,
  });
}

const keyRows = defineAccountRows<EventRowKey>({
  text: ['orderId', 'endpointId'],
  integer: ['position'],
});

const isOld = sql`account_id = $1 and (order_id, sequence, endpoint_id) in (
     select row.order_id, row.position, row.endpoint_id from ${keyRows.from})`;

async function removeBodies(tx: Transaction, scanned: readonly EventRow[]) {
  const old = scanned.filter((row) => row.isOld);
  const pruned = await keyRows.query<EventRowKey>(tx, old, 'remove-event-bodies')`
    update events e set body = null, next_attempt_at = null,
           state = case when state = 'delivered' then state else 'dropped' end
     where ${isOld}
       and (state = 'delivered'
            or not exists (select from endpoints p where p.account_id = $1
                              and p.endpoint_id = e.endpoint_id))
    returning ${keyColumns}`;
  await keyRows.query(tx, pruned, 'delete-event-attempts')`
    delete from event_attempts where ${isOld}`;
}

/** Also deletes what endpoints answered, which may repeat the body. */
export async function deleteFinishedBodies(tx: Transaction, { accountId, orderId }: OrderKey) {
  await execute(tx, [accountId, orderId])`
    update event_attempts set response = null where account_id = $1 and order_id = $2`;
  return countChanges(tx, [accountId, orderId])`
    update events set body = null
     where account_id = $1 and order_id = $2 and body is not null and state <> 'pending'`;
}

/** One for each number, whoever waits for it. */
export function listWaitingBodies(database: Queryable, { accountId, orderId }: OrderKey) {
  return listRows<{ sequence: number; body: Buffer }>(database, [accountId, orderId])`
    select distinct on (sequence) sequence, body from events
     where account_id = $1 and order_id = $2 and body is not null order by sequence`;
}

/** An event without a body cannot be sent any more. */
export async function saveEventBody(
  tx: Transaction,
  { accountId, orderId, sequence }: EventKey,
  body: Buffer | null,
) {
  const name = [accountId, orderId, sequence];
  await execute(tx, [...name, body])`
    update events set body = $4
     where account_id = $1 and order_id = $2 and sequence = $3 and body is not null`;
  if (body !== null) return;
  await execute(tx, name)`
    update events set state = 'undelivered', next_attempt_at = null
     where account_id = $1 and order_id = $2 and sequence = $3 and state = 'pending'`;
}
