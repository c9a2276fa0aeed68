/**
 * What is stored about the life of one order, the newest rows first and page by page: history, deliveries, events and
 * attempts up to a time, and what set the fields of its transactions last.
 */
import { eventIdOf } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { LastChange } from '../../domain/why/explain-transaction.ts';
import type { LifeAttempt, LifeEvent } from '../../domain/why/timeline.ts';
import type { Queryable } from '../../postgres/database.ts';
import type { OrderKey } from '../order-rows.ts';
import { listRows } from '../query.ts';
import { type HistoryRow, toEntries } from './history.ts';

/** Rows up to this time, at most so many. */
type LifePage = { readonly upTo: Date; readonly limit: number };

/** By time, because pages end at a time: a change that waited for its lock may have a later position than a newer one. */
export async function readHistoryPage(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  { upTo, limit }: LifePage,
) {
  type Row = HistoryRow & { first_position: number };
  const values = [accountId, orderId, upTo, limit];
  const rows = await listRows<Row>(database, values, 'read-history-page')`
    select order_id, cause, happened_at, entries,
           (select min(position) from history
             where account_id = $1 and order_id = $2) as first_position
      from history
     where account_id = $1 and order_id = $2 and happened_at <= $3
     order by happened_at desc, position desc limit $4`;
  return {
    /** Newest first; the entries of a row in their own order. */
    rows: rows.map((row) => ({ at: row.happened_at, entries: toEntries(row) })),
    /** The lowest position that is stored for the order. It is 1 unless rows were pruned. */
    firstPosition: rows[0]?.first_position,
  };
}

/** Newest first. An event is one row for each endpoint. */
export async function listEventsUpTo(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  { upTo, limit }: LifePage,
) {
  const values = [accountId, orderId, upTo, limit];
  const rows = await listRows<Numbered<LifeEvent>>(database, values, 'list-events-up-to')`
    select sequence, min(event_type) as type, min(transaction_id) as "transactionId",
           min(status) as status, min(occurred_at) as "occurredAt",
           json_agg(json_build_object('endpointId', endpoint_id, 'state', state,
             'attempts', attempts) order by endpoint_id) as endpoints
      from events
     where account_id = $1 and order_id = $2 and occurred_at <= $3
     group by sequence order by min(occurred_at) desc, sequence desc limit $4`;
  return rows.map((row) => withEventId({ accountId, orderId }, row));
}

/** Newest first. */
export async function listAttemptsUpTo(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  { upTo, limit }: LifePage,
) {
  const values = [accountId, orderId, upTo, limit];
  const rows = await listRows<Numbered<LifeAttempt>>(database, values, 'list-attempts-up-to')`
    select a.sequence, e.event_type as type, a.endpoint_id as "endpointId", n.url, a.attempt,
           a.attempted_at as "attemptedAt", a.status as "httpStatus",
           a.duration_ms as "durationMs"
      from event_attempts a
      join events e using (account_id, order_id, sequence, endpoint_id)
      left join endpoints n using (account_id, endpoint_id)
     where a.account_id = $1 and a.order_id = $2 and a.attempted_at <= $3
     order by a.attempted_at desc, a.sequence desc, a.endpoint_id limit $4`;
  return rows.map((row) => withEventId({ accountId, orderId }, row));
}

type Numbered<Entry> = Omit<Entry, 'eventId'> & { readonly sequence: number };

function withEventId<Row extends { readonly sequence: number }>(
  order: OrderKey,
  { sequence, ...row }: Row,
) {
  return { eventId: eventIdOf({ ...order, sequence }), ...row };
}

type LastChangeRow = LastChange & { readonly transactionId: string };

/** Bounds the work. What only older rows mention is shown without its former value. */
const historyRowsMax = 500;

/** The last change of each field of these transactions in the newest rows of the order's history. */
export async function listLastChanges(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  transactionIds: readonly string[],
): Promise<LastChangeRow[]> {
  if (transactionIds.length === 0) return [];
  const values = [accountId, orderId, transactionIds, historyRowsMax];
  return listRows<LastChangeRow>(database, values, 'list-last-changes')`
    select distinct on (entry ->> 'transactionId', change ->> 0)
           entry ->> 'transactionId' as "transactionId", change ->> 0 as field,
           change -> 1 as "from", change -> 2 as "to", cause, happened_at as "happenedAt"
      from (select position, cause, happened_at, entries from history
             where account_id = $1 and order_id = $2
             order by position desc limit $4) h
     cross join lateral json_array_elements(h.entries) with ordinality as e (entry, place)
     cross join lateral json_array_elements(entry -> 'changes') as c (change)
     where entry ->> 'transactionId' = any($3::text[])
     order by entry ->> 'transactionId', change ->> 0, position desc, place desc`;
}

export type DeliveryOfKey = Pick<Delivery, 'provider' | 'deliveryKey' | 'deliveryId' | 'state'>;

/** The deliveries with these keys, which notices have instead of ids. */
export async function listDeliveriesByKey(
  database: Queryable,
  accountId: string,
  names: ReadonlyArray<Pick<DeliveryOfKey, 'provider' | 'deliveryKey'>>,
): Promise<DeliveryOfKey[]> {
  if (names.length === 0) return [];
  const values = [
    accountId,
    names.map(({ provider }) => provider),
    names.map(({ deliveryKey }) => deliveryKey),
  ];
  return listRows<DeliveryOfKey>(database, values, 'list-deliveries-by-key')`
    select d.provider, d.delivery_key as "deliveryKey", d.delivery_id as "deliveryId", d.state
      from unnest($2::text[], $3::text[]) as name (provider, delivery_key)
      join deliveries d on d.account_id = $1 and d.provider = name.provider
       and d.delivery_key = name.delivery_key`;
}
