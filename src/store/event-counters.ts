/** Counts of events and endpoints for /metrics. Each is read from a partial index that contains only such rows. */
import type { Queryable } from '../postgres/database.ts';

export type WaitingEvents = { readonly count: number; readonly oldestAt: Date | null };

export type EventCounters = {
  /** Of enabled endpoints: those of disabled ones wait for an operator. */
  readonly pending: WaitingEvents;
  readonly undelivered: number;
  readonly disabledEndpoints: {
    /** A person did it. */
    readonly byOperator: number;
    /** It was gone, or failed for days. */
    readonly byService: number;
  };
};

/** The reason of an endpoint that a person disabled. */
export const disabledByOperator = 'Disabled by the operator.';

/** A limit of null counts all. */
export async function countEvents(
  database: Queryable,
  limit: number | null,
): Promise<EventCounters> {
  const { rows } = await database.query<CountersRow>({
    name: 'count-events',
    text: `select pending.count, pending.oldest_at,
                  (select count(*) from (
                     select from events where state = 'undelivered' limit $1) as u) as undelivered,
                  (select count(*) from endpoints where disabled_reason = $2) as by_operator,
                  (select count(*) from endpoints where disabled_reason <> $2) as by_service
             from (select count(*) as count, min(occurred_at) as oldest_at from (
                     select d.occurred_at from endpoints e
                       join events d on d.account_id = e.account_id
                                    and d.endpoint_id = e.endpoint_id
                      where e.disabled_reason is null and d.state = 'pending' limit $1) as p) as pending`,
    values: [limit, disabledByOperator],
  });
  const [row] = rows;
  return {
    pending: { count: row?.count ?? 0, oldestAt: row?.oldest_at ?? null },
    undelivered: row?.undelivered ?? 0,
    disabledEndpoints: { byOperator: row?.by_operator ?? 0, byService: row?.by_service ?? 0 },
  };
}

type CountersRow = {
  count: number;
  oldest_at: Date | null;
  undelivered: number;
  by_operator: number;
  by_service: number;
};

const names = {
  count: 'events pending',
  oldest: 'events pending since',
  undelivered: 'events undelivered',
};

/** For `stored_counts`: the time in seconds, because that table holds numbers. */
export function toStoredCounts({ pending, undelivered }: EventCounters): Array<[string, number]> {
  return [
    [names.count, pending.count],
    [names.oldest, Math.floor((pending.oldestAt?.getTime() ?? 0) / 1_000)],
    [names.undelivered, undelivered],
  ];
}

/** Counts that reached the limit of a scrape are those of the last sweep. */
export function withStoredCounts(
  counted: EventCounters,
  stored: ReadonlyMap<string, number>,
  limit: number,
): EventCounters {
  const { pending, undelivered } = counted;
  const sinceSeconds = stored.get(names.oldest) ?? 0;
  const storedSince = sinceSeconds > 0 ? new Date(sinceSeconds * 1_000) : null;
  return {
    ...counted,
    pending:
      pending.count < limit
        ? pending
        : {
            count: Math.max(pending.count, stored.get(names.count) ?? 0),
            oldestAt: storedSince ?? pending.oldestAt,
          },
    undelivered:
      undelivered < limit ? undelivered : Math.max(undelivered, stored.get(names.undelivered) ?? 0),
  };
}
