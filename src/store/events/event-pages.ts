/**
 * Events of one account for its dashboard. Every statement reads a limited number of rows: those that wait or were given
 * up through their partial indexes, all others backwards through the primary key. Contract 13.7.
 */
import type { EventKey } from '../../domain/ids.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import type { EndpointKey } from '../accounts/endpoints.ts';
import type { AddValue } from '../inbox/newest.ts';
import type { EventDeliveryKey } from './event-deliveries.ts';
import type { EventState, ListedEvent } from './event-lists.ts';

/** States that few events have, so that each has an index of its own. */
export type RareState = Exclude<EventState, 'delivered'>;

const columns = `account_id as "accountId", order_id as "orderId", sequence,
  endpoint_id as "endpointId", event_type as type, occurred_at as "occurredAt", state, attempts,
  next_attempt_at as "nextAttemptAt"`;

/** The place of a page: the last event of the page before. */
export type EventCursor = Pick<EventDeliveryKey, 'orderId' | 'sequence' | 'endpointId'>;

/** How many there are, counted up to `max`. */
export async function countEventsOfState(
  database: Queryable,
  accountId: string,
  { state, endpointIds, max }: RareEvents,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    text: `select count(*)::integer as count from (${selectRare('', state)} limit $3) found`,
    values: [accountId, endpointIds, max],
  });
  return rows[0]?.count ?? 0;
}

type RareEvents = {
  readonly state: RareState;
  readonly endpointIds: readonly string[];
  readonly max: number;
};

/** The newest of at most `max` events of a state. They are sorted here, because their index is not in this order. */
export async function listEventsOfState(
  database: Queryable,
  accountId: string,
  { state, endpointIds, max }: RareEvents,
  { before, limit }: { readonly before: EventCursor | undefined; readonly limit: number },
): Promise<ListedEvent[]> {
  const values: unknown[] = [accountId, endpointIds, max];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const { rows } = await database.query<ListedEvent>({
    text: `select ${columns} from (${selectRare(rareColumns, state)} limit $3) found
            where true ${comesBefore(before, add)}
            order by order_id desc, sequence desc, endpoint_id desc limit ${add(limit)}`,
    values,
  });
  return rows;
}

const rareColumns =
  'account_id, order_id, sequence, endpoint_id, event_type, occurred_at, state, attempts, next_attempt_at';

/** The state is part of the text, because a parameter does not match the condition of a partial index. */
function selectRare(selected: string, state: RareState): string {
  return `select ${selected} from events
           where account_id = $1 and endpoint_id = any ($2) and state = '${state}'`;
}

/** Of all states and endpoints, also of those that were deleted: whoever reads leaves them out. */
export async function listEventsBefore(
  database: Queryable,
  accountId: string,
  { orderId, before, limit }: EventWalk,
): Promise<ListedEvent[]> {
  const values: unknown[] = [accountId];
  const add: AddValue = (value) => `$${values.push(value)}`;
  const ofOrder = orderId === undefined ? '' : `and order_id = ${add(orderId)}`;
  const { rows } = await database.query<ListedEvent>({
    text: `select ${columns} from events
            where account_id = $1 ${ofOrder} ${comesBefore(before, add)}
            order by order_id desc, sequence desc, endpoint_id desc limit ${add(limit)}`,
    values,
  });
  return rows;
}

type EventWalk = {
  readonly orderId: string | undefined;
  readonly before: EventCursor | undefined;
  readonly limit: number;
};

function comesBefore(cursor: EventCursor | undefined, add: AddValue): string {
  if (!cursor) return '';
  const { orderId, sequence, endpointId } = cursor;
  return `and (order_id, sequence, endpoint_id)
    < (${add(orderId)}, ${add(sequence)}::integer, ${add(endpointId)})`;
}

/** What became of an event at each endpoint that wanted it. */
export async function listEventAtEndpoints(
  database: Queryable,
  { accountId, orderId, sequence }: EventKey,
): Promise<ListedEvent[]> {
  const { rows } = await database.query<ListedEvent>({
    text: `select ${columns} from events
            where account_id = $1 and order_id = $2 and sequence = $3 order by endpoint_id`,
    values: [accountId, orderId, sequence],
  });
  return rows;
}

export type EndpointBacklog = EndpointKey & {
  /** Since when every attempt has failed; null after one that succeeded. */
  readonly failingSince: Date | null;
  /** Counted up to the limit. */
  readonly pending: number;
  readonly undelivered: number;
};

/** One search of an index for each endpoint and state. */
export async function listEndpointBacklogs(
  database: Queryable,
  accountId: string,
  max: number,
): Promise<EndpointBacklog[]> {
  const countOf = (state: RareState) => `(select count(*)::integer from (
      select 1 from events d where d.account_id = $1 and d.endpoint_id = e.endpoint_id
         and d.state = '${state}' limit $2) found) as ${state}`;
  const { rows } = await database.query<EndpointBacklog>({
    text: `select account_id as "accountId", endpoint_id as "endpointId",
                  failing_since as "failingSince", ${countOf('pending')}, ${countOf('undelivered')}
             from endpoints e where account_id = $1`,
    values: [accountId, max],
  });
  return rows;
}

/** Makes events due that were given up and occurred at that time or later, at most `limit`, and returns how many. */
export async function makeUndeliveredDue(
  tx: Transaction,
  { accountId, endpointId }: EndpointKey,
  { since, now, limit }: { readonly since: Date; readonly now: Date; readonly limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
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
  return rowCount ?? 0;
}
