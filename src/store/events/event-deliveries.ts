/**
 * Which events are due for an endpoint, which process sends them, and what came of it. Contract 12.5. An operator or the
 * dashboard makes events due again. Contract 12.7 and 13.7.
 */
import type { EventKey } from '../../domain/ids.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import type { EndpointKey } from '../accounts/endpoints.ts';
import { addTo } from '../newest.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { countChanges, findRow, listRows, listValues } from '../query.ts';

export type EventDeliveryKey = EventKey & EndpointKey;

const claimedColumns = columnsOf('accountId, endpointId, orderId, sequence, failures', 'e');

export type ClaimedEvent = EventDeliveryKey & {
  readonly body: Buffer;
  /** Counts from 1, and identifies this attempt. */
  readonly attempt: number;
  /** Failed attempts before this one, since the event was due for the first time or again. */
  readonly failures: number;
};

/** Enabled endpoints with an event that is due: one search of an index for each endpoint. */
export function listDueEndpoints(database: Queryable, now: Date) {
  return listRows<EndpointKey>(database, [now], 'list-due-endpoints')`
    select ${columnsOf('accountId, endpointId', 'e')} from endpoints e
     where e.disabled_reason is null
       and exists (select from events d
                    where d.account_id = e.account_id and d.endpoint_id = e.endpoint_id
                      and d.state = 'pending' and d.next_attempt_at <= $1)`;
}

/**
 * Claims events that are due, the longest due first. Ends the race of several processes: each row is claimed by one of
 * them. Until `claimedUntil` no other sends it; if this process ends, the event is due again then. Rows are joined by
 * the columns of the claim alone: with the parameters, a plan that was made for an empty table reads all events of the
 * endpoint.
 */
export function claimEvents(
  database: Queryable,
  { accountId, endpointId }: EndpointKey,
  { now, claimedUntil, limit }: { now: Date; claimedUntil: Date; limit: number },
) {
  const values = [accountId, endpointId, now, claimedUntil, limit];
  return listRows<ClaimedEvent>(database, values, 'claim-events')`
    with due as (
      select account_id, order_id, sequence, endpoint_id from events
       where account_id = $1 and endpoint_id = $2
         and state = 'pending' and next_attempt_at <= $3
         and exists (select from endpoints p where p.account_id = $1 and p.endpoint_id = $2
                        and p.disabled_reason is null)
       order by next_attempt_at limit $5
         for update skip locked)
    update events e set next_attempt_at = $4, attempts = attempts + 1 from due
     where e.account_id = due.account_id and e.order_id = due.order_id
       and e.sequence = due.sequence and e.endpoint_id = due.endpoint_id
    returning ${claimedColumns},
              e.attempts as attempt, coalesce(e.body, '') as body`;
}

/**
 * Makes events due now that wait for a later attempt, at most `limit` of them, and returns how many. Those that are due
 * within the time of a claim may be on their way.
 */
export function makeWaitingDue(
  database: Queryable,
  { accountId, endpointId }: EndpointKey,
  { now, claimedUntil, limit }: { now: Date; claimedUntil: Date; limit: number },
) {
  return countChanges(database, [accountId, endpointId, now, claimedUntil, limit])`
    with waiting as (
      select account_id, order_id, sequence, endpoint_id from events
       where account_id = $1 and endpoint_id = $2 and state = 'pending'
         and next_attempt_at > $4
       limit $5 for update skip locked)
    update events e set next_attempt_at = $3 from waiting w
     where e.account_id = w.account_id and e.order_id = w.order_id
       and e.sequence = w.sequence and e.endpoint_id = w.endpoint_id`;
}

export type AttemptResult = EventDeliveryKey & {
  readonly attempt: number;
  readonly attemptedAt: Date;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly response: string;
  readonly state: 'pending' | 'delivered' | 'undelivered';
  readonly failures: number;
  readonly nextAttemptAt: Date | null;
};

const resultRows = defineAccountRows<AttemptResult>({
  text: ['orderId', 'endpointId', 'state'],
  integer: ['sequence', 'attempt', 'failures'],
  timestamptz: ['nextAttemptAt'],
});

/**
 * A success always counts. A failure counts only if no later attempt was claimed and nobody made the event due again in
 * the meantime.
 */
export async function saveResults(tx: Transaction, results: readonly AttemptResult[]) {
  await resultRows.query(tx, results, 'save-event-results')`
    update events e
       set state = row.state, failures = row.failures, next_attempt_at = row.next_attempt_at
      from ${resultRows.from}
     where e.account_id = ${accountOf('row')} and e.order_id = row.order_id
       and e.sequence = row.sequence and e.endpoint_id = row.endpoint_id
       and (row.state = 'delivered' or (e.state = 'pending' and e.attempts = row.attempt))`;
}

const attemptRows = defineAccountRows<AttemptResult>({
  text: ['orderId', 'endpointId', 'response'],
  integer: ['sequence', 'attempt', 'status', 'durationMs'],
  timestamptz: ['attemptedAt'],
});

/**
 * The transaction may be repeated after a lost connection, and then the rows may be there already. An endpoint that was
 * deleted in the meantime has no attempts.
 */
export async function insertAttempts(tx: Transaction, results: readonly AttemptResult[]) {
  await attemptRows.query(tx, results, 'insert-event-attempts')`
    insert into event_attempts (account_id, order_id, sequence, endpoint_id, attempt, attempted_at,
                                status, duration_ms, response)
    select e.account_id, row.order_id, row.sequence, row.endpoint_id, row.attempt,
           row.attempted_at, row.status, row.duration_ms, row.response
      from ${attemptRows.from}
      join endpoints e
        on e.account_id = ${accountOf('row')} and e.endpoint_id = row.endpoint_id
    on conflict do nothing`;
}

export type EndpointHealth = EndpointKey & {
  /** Since when every attempt has failed; null after one that succeeded. */
  readonly failingSince: Date | null;
};

const healthRows = defineAccountRows<EndpointHealth>({
  text: ['endpointId'],
  timestamptz: ['failingSince'],
});

const endpointIds = defineAccountRows<EndpointKey>({ text: ['endpointId'] });

/** Writes only what changes. Returns since when each endpoint that fails has been failing. */
export async function saveHealth(tx: Transaction, health: readonly EndpointHealth[]) {
  await healthRows.query(tx, health, 'save-endpoint-health')`
    update endpoints e set failing_since = row.failing_since from ${healthRows.from}
     where e.account_id = ${accountOf('row')} and e.endpoint_id = row.endpoint_id
       and (e.failing_since is null) <> (row.failing_since is null)`;
  const failing = health.filter(({ failingSince }) => failingSince !== null);
  return endpointIds.query<EndpointHealth>(tx, failing, 'list-endpoint-health')`
    select ${columnsOf('accountId, endpointId, failingSince', 'e')}
      from ${endpointIds.from} join endpoints e
        on e.account_id = ${accountOf('row')} and e.endpoint_id = row.endpoint_id`;
}

/** The ids of the endpoints that have this event, whatever became of it. */
export function listEndpointIdsOf(database: Queryable, { accountId, orderId, sequence }: EventKey) {
  return listValues<string>(database, [accountId, orderId, sequence])`
    select endpoint_id from events
     where account_id = $1 and order_id = $2 and sequence = $3`;
}

export type ResendRange =
  | { readonly event: EventKey }
  /** Events that occurred then or later. */
  | { readonly since: Date };

type ResentEvents = { readonly resent: number; readonly pruned: number };

/**
 * Makes events of an endpoint due now. What is due within the time of a claim is left alone: it may be on its way, and
 * is sent soon in any case.
 */
export async function makeEventsDue(
  database: Queryable,
  { accountId, endpointId }: EndpointKey,
  range: ResendRange,
  { now, claimedUntil }: { readonly now: Date; readonly claimedUntil: Date },
): Promise<ResentEvents> {
  const values: unknown[] = [accountId, endpointId];
  const add = addTo(values);
  const chosen =
    'event' in range
      ? sql`order_id = ${add(range.event.orderId)} and sequence = ${add(range.event.sequence)}`
      : sql`occurred_at >= ${add(range.since)}`;
  const row = await findRow<ResentEvents>(database, values)`
    with chosen as (
      select account_id, order_id, sequence, endpoint_id, body is null as is_pruned from events
       where account_id = $1 and endpoint_id = $2 and ${chosen}),
    due as (
      update events e set state = 'pending', failures = 0, next_attempt_at = ${add(now)}
        from chosen c
       where not c.is_pruned and e.account_id = c.account_id and e.order_id = c.order_id
         and e.sequence = c.sequence and e.endpoint_id = c.endpoint_id
         and (e.state <> 'pending' or e.next_attempt_at > ${add(claimedUntil)})
      returning 1)
    select (select count(*) from chosen where not is_pruned)::integer as resent,
           (select count(*) from chosen where is_pruned)::integer as pruned,
           (select count(*) from due)`;
  return { resent: row?.resent ?? 0, pruned: row?.pruned ?? 0 };
}

/** Makes events due that were given up and occurred at that time or later, at most `limit`, and returns how many. */
export function makeUndeliveredDue(
  tx: Transaction,
  { accountId, endpointId }: EndpointKey,
  { since, now, limit }: { readonly since: Date; readonly now: Date; readonly limit: number },
) {
  return countChanges(tx, [accountId, endpointId, since, now, limit])`
    with chosen as (
      select account_id, order_id, sequence, endpoint_id from events
       where account_id = $1 and endpoint_id = $2 and state = 'undelivered'
         and occurred_at >= $3 and body is not null
       limit $5 for update skip locked)
    update events e set state = 'pending', failures = 0, next_attempt_at = $4 from chosen c
     where e.account_id = c.account_id and e.order_id = c.order_id
       and e.sequence = c.sequence and e.endpoint_id = c.endpoint_id`;
}
