/** Events for an operator: the newest ones page by page, one with its attempts, and making them due again. Contract 12.7. */
import type { EventType } from '../../domain/event-type.ts';
import type { EventKey } from '../../domain/ids.ts';
import type { Queryable } from '../../postgres/database.ts';
import type { EndpointKey } from '../accounts/endpoints.ts';
import { type AddValue, type KeyRange, type Selection, selectNewest } from '../inbox/newest.ts';
import type { EventDeliveryKey } from './event-deliveries.ts';

export const eventStates = ['pending', 'delivered', 'undelivered'] as const;
export type EventState = (typeof eventStates)[number];

/** An event for one endpoint. */
export type ListedEvent = EventDeliveryKey & {
  readonly type: EventType;
  readonly occurredAt: Date;
  readonly state: EventState;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
};

type EventRange = KeyRange & {
  readonly orderId: string | undefined;
  readonly state: EventState | undefined;
};

/** Sorts events of all accounts by the time of their order. Numbers are padded, so that they sort as text. */
export function eventKeyOf({ orderId, sequence, endpointId }: EventDeliveryKey): string {
  return [orderId, String(sequence).padStart(9, '0'), endpointId].join('/');
}

/** Those of the newest order first. An endpoint that was deleted has none. */
export function newestEvents({ orderId, state, before, from }: EventRange): Selection {
  const conditionsOf = (add: AddValue) => {
    const [order, sequence, endpoint] = before?.split('/') ?? [];
    return [
      ...(orderId === undefined ? [] : [`and e.order_id = ${add(orderId)}`]),
      ...(from === undefined ? [] : [`and e.order_id >= ${add(from)}`]),
      // Part of the text, because a parameter does not match the condition of a partial index.
      ...(state === undefined ? [] : [`and e.state = '${state}'`]),
      ...(before === undefined
        ? []
        : [
            `and (e.order_id, e.sequence, e.endpoint_id)
               < (${add(order)}, ${add(Number(sequence))}::integer, ${add(endpoint)})`,
          ]),
    ];
  };
  return {
    key: `e.order_id || '/' || lpad(e.sequence::text, 9, '0') || '/' || e.endpoint_id`,
    from: (account, add) => `from events e
       where e.account_id = ${account} ${conditionsOf(add).join(' ')}
         and e.endpoint_id = any (array (select p.endpoint_id from endpoints p
                                          where p.account_id = ${account}))
       order by e.order_id desc, e.sequence desc, e.endpoint_id desc`,
  };
}

export function listNewestEvents(
  database: Queryable,
  accountId: string,
  { limit, ...range }: EventRange & { readonly limit: number },
): Promise<ListedEvent[]> {
  const columns = `e.account_id as "accountId", e.order_id as "orderId", e.sequence,
    e.endpoint_id as "endpointId", e.event_type as type, e.occurred_at as "occurredAt",
    e.state, e.attempts, e.next_attempt_at as "nextAttemptAt"`;
  return selectNewest(database, newestEvents(range), columns, { accountId, limit });
}

export type StoredEvent = EventKey & {
  readonly type: EventType;
  readonly transactionId: string | null;
  readonly status: string;
  readonly occurredAt: Date;
  /** Null after it was pruned for every endpoint. */
  readonly body: Buffer | null;
};

export async function findEvent(
  database: Queryable,
  { accountId, orderId, sequence }: EventKey,
): Promise<StoredEvent | undefined> {
  const { rows } = await database.query<StoredEvent>({
    text: `select account_id as "accountId", order_id as "orderId", sequence, event_type as type,
                  transaction_id as "transactionId", status, occurred_at as "occurredAt", body
             from events where account_id = $1 and order_id = $2 and sequence = $3
            order by body is null, endpoint_id limit 1`,
    values: [accountId, orderId, sequence],
  });
  return rows[0];
}

export type StoredAttempt = {
  readonly endpointId: string;
  readonly attemptedAt: Date;
  readonly status: number | null;
  readonly durationMs: number;
  readonly response: string | null;
};

/** In the order in which they were made. */
export async function listAttempts(
  database: Queryable,
  { accountId, orderId, sequence }: EventKey,
): Promise<StoredAttempt[]> {
  const { rows } = await database.query<StoredAttempt>({
    text: `select endpoint_id as "endpointId", attempted_at as "attemptedAt", status,
                  duration_ms as "durationMs", response
             from event_attempts where account_id = $1 and order_id = $2 and sequence = $3
            order by attempted_at, endpoint_id, attempt`,
    values: [accountId, orderId, sequence],
  });
  return rows;
}

/** The ids of the endpoints that have this event, whatever became of it. */
export async function listEndpointIdsOf(
  database: Queryable,
  { accountId, orderId, sequence }: EventKey,
): Promise<string[]> {
  const { rows } = await database.query<{ endpoint_id: string }>({
    text: `select endpoint_id from events
            where account_id = $1 and order_id = $2 and sequence = $3`,
    values: [accountId, orderId, sequence],
  });
  return rows.map((row) => row.endpoint_id);
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
