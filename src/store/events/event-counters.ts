/** Counts of events and endpoints for /metrics. Each is read from a partial index that contains only such rows. */
import type { Queryable } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import { findRow, findValue, firstBy } from '../query.ts';

type EventCounters = Awaited<ReturnType<typeof countEvents>>;

/** The reason of an endpoint that a person disabled. */
export const disabledByOperator = 'Disabled by the operator.';

/** A limit of null counts all. */
export async function countEvents(database: Queryable, limit: number | null) {
  const [pending, undelivered, disabledEndpoints] = await inOrder([
    () => countPending(database, limit),
    () => countUndelivered(database, limit),
    () => countDisabled(database),
  ]);
  return { pending, undelivered, disabledEndpoints };
}

/**
 * The join compares the accounts, so that each node of a cluster joins its own rows. A disabled endpoint may have any
 * number of events, which wait for an operator and are not read.
 */
async function countPending(database: Queryable, limit: number | null) {
  type Counted = { readonly count: number; readonly oldest_at: Date | null };
  const counted = await findRow<Counted>(database, [], `count-pending-events-${limit}`)`
    select count(*) as count, min(occurred_at) as oldest_at
      from (select d.occurred_at from endpoints e
              join events d on d.account_id = e.account_id and d.endpoint_id = e.endpoint_id
             where e.disabled_reason is null and d.state = 'pending' ${firstBy(limit)}) as pending`;
  return { count: counted?.count ?? 0, oldestAt: counted?.oldest_at ?? null };
}

async function countUndelivered(database: Queryable, limit: number | null) {
  const count = await findValue<number>(database, [], `count-undelivered-events-${limit}`)`
    select count(*) as count
      from (select 1 from events where state = 'undelivered' ${firstBy(limit)}) as undelivered`;
  return count ?? 0;
}

/** By a person, or by the service because they were gone or failed for days. */
async function countDisabled(database: Queryable) {
  type Counted = { readonly byOperator: number; readonly byService: number };
  const values = [disabledByOperator];
  const counted = await findRow<Counted>(database, values, 'count-disabled-endpoints')`
    select count(*) filter (where disabled_reason = $1) as "byOperator",
           count(*) filter (where disabled_reason <> $1) as "byService"
      from endpoints where disabled_reason is not null`;
  return counted ?? { byOperator: 0, byService: 0 };
}

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
