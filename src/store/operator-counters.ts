/**
 * The counters on /metrics that come from the database: unfinished deliveries and transactions, and their age. Each is
 * read from a partial index that contains only such rows, and counting stops at a limit, so the cost does not grow with
 * the tables.
 */
import type { Database, Queryable } from '../postgres/database.ts';

const watchedStates = ['received', 'parked', 'dead', 'needs_review'] as const;

export type WatchedDeliveries = {
  readonly state: (typeof watchedStates)[number];
  readonly count: number;
  readonly oldestAt: Date | null;
};

const transactionTypes = ['payment', 'refund'] as const;
/** Buckets do not overlap: `under_1h` means from ten minutes to an hour. */
const openAges = [
  'under_10m',
  'under_1h',
  'under_1d',
  'under_2d',
  'under_10d',
  'over_10d',
] as const;

export type OpenTransactions = {
  readonly type: (typeof transactionTypes)[number];
  readonly age: (typeof openAges)[number];
  readonly count: number;
};

/** How many reviews operators have resolved, from the audit log. */
export type ResolvedReviews = { readonly kind: 'delivery' | 'flag'; readonly count: number };

export type OperatorCounters = {
  readonly resolved: readonly ResolvedReviews[];
  readonly deliveries: readonly WatchedDeliveries[];
  readonly openTransactions: readonly OpenTransactions[];
};

/** Counting stops here; the oldest rows are counted first. */
const countedMax = 10_000;

export async function readOperatorCounters(
  database: Database,
  now: Date,
): Promise<OperatorCounters> {
  return database.transaction(async (tx) => {
    // A bitmap scan would read all matching rows before the limit applies.
    await tx.query({ text: 'set local enable_bitmapscan = off' });
    return {
      deliveries: await countWatchedDeliveries(tx),
      openTransactions: await countOpenTransactions(tx, now),
      resolved: await countResolved(tx),
    };
  });
}

async function countWatchedDeliveries(database: Queryable): Promise<WatchedDeliveries[]> {
  const { rows } = await database.query<{
    state: WatchedDeliveries['state'];
    count: number;
    oldest_at: Date | null;
  }>({
    name: 'count-watched-deliveries',
    // The planner uses the partial index only if the query repeats its condition as a literal list.
    text: `select watched.state, count(found.received_at) as count, min(found.received_at) as oldest_at
             from unnest($1::text[]) as watched (state)
             left join lateral (
               select received_at from deliveries d
                where d.state = watched.state
                  and d.state in ('received', 'parked', 'dead', 'needs_review')
                order by received_at limit $2) as found on true
            group by watched.state`,
    values: [watchedStates, countedMax],
  });
  return rows.map(({ state, count, oldest_at: oldestAt }) => ({ state, count, oldestAt }));
}

/** Without a limit, because a counter must never stall. Operators resolve few reviews, so counting all is fast. */
async function countResolved(database: Queryable): Promise<ResolvedReviews[]> {
  const { rows } = await database.query<{ action: string; count: number }>({
    name: 'count-resolved',
    text: `select action, count(*) as count from audit
            where action in ('delivery.resolved', 'flag.resolved') group by action`,
  });
  const countOf = (action: string) => rows.find((row) => row.action === action)?.count ?? 0;
  return (['delivery', 'flag'] as const).map((kind) => ({
    kind,
    count: countOf(`${kind}.resolved`),
  }));
}

async function countOpenTransactions(database: Queryable, now: Date): Promise<OpenTransactions[]> {
  const { rows } = await database.query<OpenTransactions>({
    name: 'count-open-transactions',
    text: `select counted.type,
                  case when age < interval '10 minutes' then 'under_10m'
                       when age < interval '1 hour' then 'under_1h'
                       when age < interval '24 hours' then 'under_1d'
                       when age < interval '48 hours' then 'under_2d'
                       when age < interval '240 hours' then 'under_10d'
                       else 'over_10d' end as age,
                  count(*) as count
             from unnest($1::text[]) as counted (type)
            cross join lateral (
               select $2::timestamptz - started_at as age from transactions t
                where t.type = counted.type and started_at is not null
                  and status not in ('failed', 'succeeded', 'reversed')
                order by started_at limit $3) as open
            group by 1, 2`,
    values: [transactionTypes, now, countedMax],
  });
  const countOf = (type: string, age: string) =>
    rows.find((row) => row.type === type && row.age === age)?.count ?? 0;
  return transactionTypes.flatMap((type) =>
    openAges.map((age) => ({ type, age, count: countOf(type, age) })),
  );
}
