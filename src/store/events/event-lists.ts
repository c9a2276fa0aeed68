/**
 * Events for operators and for the dashboard: the newest ones that match a filter, one with its attempts, and how many
 * wait at each endpoint. Contract 12.7 and 13.7.
 */
import type { EventType } from '../../domain/event-type.ts';
import { type EventKey, firstOrderIdAt } from '../../domain/ids.ts';
import type { Queryable } from '../../postgres/database.ts';
import { columnsOf, joinSql, type Sql, sql, word } from '../../postgres/sql.ts';
import {
  type AddValue,
  addTo,
  type Condition,
  compare,
  type FoundRows,
  findNewest,
  type StepRange,
} from '../newest.ts';
import { findRow, findValue, listRows } from '../query.ts';
import type { AttemptResult, EndpointHealth, EventDeliveryKey } from './event-deliveries.ts';
import type { NewEvent } from './events.ts';

export const eventStates = ['pending', 'delivered', 'undelivered'] as const;
type EventState = (typeof eventStates)[number];

/** An event for one endpoint. */
export type ListedEvent = EventDeliveryKey & {
  readonly type: EventType;
  readonly occurredAt: Date;
  readonly state: EventState;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
};

const columns = sql`${columnsOf('accountId, orderId, sequence, endpointId')},
  event_type as type, ${columnsOf('occurredAt, state, attempts, nextAttemptAt')}`;

export type EventFilter = {
  readonly orderId?: string | undefined;
  readonly state?: EventState | undefined;
  readonly endpointId?: string | undefined;
  /** The order was created then or later. */
  readonly orderedSince?: Date | undefined;
};

export type EventCursor = Pick<EventDeliveryKey, 'orderId' | 'sequence' | 'endpointId'>;

/** Sorts events of all accounts by the time of their order. Numbers are padded, so that they sort as text. */
export function eventCursorOf({ orderId, sequence, endpointId }: EventCursor): string {
  return [orderId, String(sequence).padStart(9, '0'), endpointId].join('/');
}

/** Up to this many are sorted for each step. If more wait or were given up, they are found by looking at all events. */
const sortedMax = 10_000;

/** Those of the newest order first. An endpoint that was deleted has none. */
export async function findFilteredEvents(
  database: Queryable,
  accountId: string,
  { filter, before, ...range }: StepRange & { readonly filter: EventFilter },
): Promise<FoundRows<ListedEvent>> {
  const { orderId, state, endpointId, orderedSince } = filter;
  const since = compare(sql`order_id >=`, orderedSince && firstOrderIdAt(orderedSince));
  const [beforeOrder, beforeSequence, beforeEndpoint] = before?.split('/') ?? [];
  const few = await findFew(database, accountId, filter);
  return findNewest(
    database,
    accountId,
    {
      columns,
      sortedBy: [sql`order_id`, sql`sequence`, sql`endpoint_id`],
      cursor:
        before === undefined ? undefined : [beforeOrder, Number(beforeSequence), beforeEndpoint],
      indexed: [...compare(sql`order_id =`, orderId), ...since],
      looked: [
        ...compare(sql`state =`, state),
        ...compare(sql`endpoint_id =`, endpointId),
        () => ofExistingEndpoint,
      ],
      from: (wanted, _max, add) => sql`${few?.(add) ?? sql`events`} where ${wanted}`,
    },
    range,
  );
}

const ofExistingEndpoint = sql`endpoint_id = any (array (select p.endpoint_id from endpoints p
                                                       where p.account_id = $1))`;

/**
 * A query of all events of a state that few events have, so that it has an index of its own, unless they are too many.
 * Their index does not sort them.
 */
async function findFew(
  database: Queryable,
  accountId: string,
  { orderId, state, endpointId }: EventFilter,
): Promise<Condition | undefined> {
  if (orderId !== undefined || state === undefined || state === 'delivered') return undefined;
  const ofEndpoint = compare(sql`and endpoint_id =`, endpointId);
  // The state is part of the text, because a parameter does not match the condition of a partial index.
  const select = (selected: Sql, max: number, add: AddValue) =>
    sql`(select ${selected} from events
       where account_id = $1 and state = '${word(state)}' and ${ofExistingEndpoint}
             ${joinSql(ofEndpoint.map((one) => one(add)))} limit ${max}) few`;
  const values: unknown[] = [accountId];
  const counted = select(sql``, sortedMax + 1, addTo(values));
  const count = await findValue<number>(database, values)`
    select count(*)::integer as count from ${counted}`;
  return (count ?? 0) > sortedMax ? undefined : (toAdd) => select(fewColumns, sortedMax, toAdd);
}

const fewColumns = sql`account_id, order_id, sequence, endpoint_id, event_type, occurred_at, state,
                       attempts, next_attempt_at`;

type StoredEvent = Omit<NewEvent, 'body' | 'endpointIds'> & {
  /** Null after it was pruned for every endpoint. */
  readonly body: Buffer | null;
};

export function findEvent(database: Queryable, { accountId, orderId, sequence }: EventKey) {
  return findRow<StoredEvent>(database, [accountId, orderId, sequence])`
    select ${columnsOf('accountId, orderId, sequence')}, event_type as type,
           ${columnsOf('transactionId, status, occurredAt, body')}
      from events where account_id = $1 and order_id = $2 and sequence = $3
     order by body is null, endpoint_id limit 1`;
}

type AttemptFields = 'endpointId' | 'attemptedAt' | 'status' | 'durationMs';
export type StoredAttempt = Pick<AttemptResult, AttemptFields> & {
  readonly response: string | null;
};

/** In the order in which they were made. */
export function listAttempts(database: Queryable, { accountId, orderId, sequence }: EventKey) {
  return listRows<StoredAttempt>(database, [accountId, orderId, sequence])`
    select ${columnsOf('endpointId, attemptedAt, status, durationMs, response')}
      from event_attempts where account_id = $1 and order_id = $2 and sequence = $3
     order by attempted_at, endpoint_id, attempt`;
}

/** What became of an event at each endpoint that wanted it. */
export function listEventAtEndpoints(
  database: Queryable,
  { accountId, orderId, sequence }: EventKey,
) {
  return listRows<ListedEvent>(database, [accountId, orderId, sequence])`
    select ${columns} from events
     where account_id = $1 and order_id = $2 and sequence = $3 order by endpoint_id`;
}

type EndpointBacklog = EndpointHealth & {
  /** Counted up to the limit. */
  readonly pending: number;
  readonly undelivered: number;
};

/** One search of an index for each endpoint and state. */
export async function listEndpointBacklogs(database: Queryable, accountId: string, max: number) {
  const countOf = (state: Sql) => sql`(select count(*)::integer from (
      select 1 from events d where d.account_id = $1 and d.endpoint_id = e.endpoint_id
         and d.state = '${state}' limit $2) found) as ${state}`;
  return listRows<EndpointBacklog>(database, [accountId, max])`
    select ${columnsOf('accountId, endpointId, failingSince')},
           ${countOf(sql`pending`)}, ${countOf(sql`undelivered`)}
      from endpoints e where account_id = $1`;
}
