/** Makes events due again, for an operator or on the dashboard. Contract 12.7 and 13.7. */
import type { EventKey } from '../../domain/ids.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import type { EndpointKey } from '../accounts/endpoints.ts';
import type { AddValue } from '../newest.ts';
import { countChanges, listValues } from '../query.ts';

/** The ids of the endpoints that have this event, whatever became of it. */
export function listEndpointIdsOf(database: Queryable, { accountId, orderId, sequence }: EventKey) {
  return listValues<string>(database, {
    text: `select endpoint_id from events
            where account_id = $1 and order_id = $2 and sequence = $3`,
    values: [accountId, orderId, sequence],
  });
}

export type ResendRange =
  | { readonly event: EventKey }
  /** Events that occurred then or later. */
  | { readonly since: Date };

export type ResentEvents = { readonly resent: number; readonly pruned: number };

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
  const add: AddValue = (value) => `$${values.push(value)}`;
  const chosen =
    'event' in range
      ? `order_id = ${add(range.event.orderId)} and sequence = ${add(range.event.sequence)}`
      : `occurred_at >= ${add(range.since)}`;
  const { rows } = await database.query<{ resent: number; pruned: number }>({
    text: `with chosen as (
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
                  (select count(*) from due)`,
    values,
  });
  return { resent: rows[0]?.resent ?? 0, pruned: rows[0]?.pruned ?? 0 };
}

/** Makes events due that were given up and occurred at that time or later, at most `limit`, and returns how many. */
export function makeUndeliveredDue(
  tx: Transaction,
  { accountId, endpointId }: EndpointKey,
  { since, now, limit }: { readonly since: Date; readonly now: Date; readonly limit: number },
) {
  return countChanges(tx, {
    text: `with chosen as (
             select account_id, order_id, sequence, endpoint_id from events
              where account_id = $1 and endpoint_id = $2 and state = 'undelivered'
                and occurred_at >= $3 and body is not null
              limit $5 for update skip locked)
           update events e set state = 'pending', failures = 0, next_attempt_at = $4 from chosen c
            where e.account_id = c.account_id and e.order_id = c.order_id
              and e.sequence = c.sequence and e.endpoint_id = c.endpoint_id`,
    values: [accountId, endpointId, since, now, limit],
  });
}
