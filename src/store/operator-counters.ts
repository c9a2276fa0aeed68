/**
 * The counters on /metrics that come from the database: unfinished deliveries and transactions, their age, resolved
 * reviews and the steps of the sweep. Each is read from a partial index that contains only such rows. A scrape counts up
 * to a limit; beyond it, it takes the count of the last sweep, so its cost does not grow with the tables.
 */
import type { Database, Queryable } from '../postgres/database.ts';
import { listStepReports, type StepReport } from './background-steps.ts';
import {
  countEvents,
  type EventCounters,
  toStoredCounts,
  withStoredCounts,
} from './event-counters.ts';
import { listStoredCounts, type StoredCounts, saveCounts } from './stored-counts.ts';

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
  readonly events: EventCounters;
  readonly steps: readonly StepReport[];
  /** When the sweep has counted; undefined before its first count. */
  readonly countedAt: Date | undefined;
};

/** A scrape counts up to here, the oldest rows first. */
const countedMax = 10_000;

export async function readOperatorCounters(
  database: Database,
  now: Date,
): Promise<OperatorCounters> {
  return database.transaction(async (tx) => {
    // A bitmap scan would read all matching rows before the limit applies.
    await tx.query({ text: 'set local enable_bitmapscan = off' });
    const stored = await listStoredCounts(tx);
    return {
      deliveries: (await countWatchedDeliveries(tx, watchedStates, countedMax)).map((entry) => ({
        ...entry,
        count: countOf(stored, nameOfDeliveries(entry), entry.count),
      })),
      openTransactions: useStoredIfMany(
        stored,
        await countOpenTransactions(tx, transactionTypes, now, countedMax),
      ),
      resolved: (await countResolved(tx, countedMax)).map((entry) => ({
        ...entry,
        count: countOf(stored, nameOfResolved(entry), entry.count),
      })),
      events: withStoredCounts(await countEvents(tx, countedMax), stored.counts, countedMax),
      steps: await listStepReports(tx),
      countedAt: stored.countedAt,
    };
  });
}

/** Counts everything, however much it is, for the scrapes until the next count. A statement per kind keeps each short. */
export async function countForOperators(database: Database, now: Date): Promise<void> {
  const counts = new Map<string, number>();
  for (const state of watchedStates) {
    const [entry] = await countWatchedDeliveries(database, [state], null);
    if (entry) counts.set(nameOfDeliveries(entry), entry.count);
  }
  for (const type of transactionTypes) {
    const open = await countOpenTransactions(database, [type], now, null);
    for (const entry of open) counts.set(nameOfTransactions(entry), entry.count);
  }
  for (const entry of await countResolved(database, null)) {
    counts.set(nameOfResolved(entry), entry.count);
  }
  for (const [name, count] of toStoredCounts(await countEvents(database, null))) {
    counts.set(name, count);
  }
  await saveCounts(database, counts, now);
}

const nameOfDeliveries = ({ state }: Pick<WatchedDeliveries, 'state'>) => `deliveries ${state}`;
const nameOfTransactions = ({ type, age }: OpenTransactions) => `transactions ${type} ${age}`;
const nameOfResolved = ({ kind }: ResolvedReviews) => `resolved ${kind}`;

/** The count of a scrape is exact below its limit. Above, the stored one is as old as the last sweep. */
function countOf({ counts }: StoredCounts, name: string, counted: number): number {
  return counted < countedMax ? counted : Math.max(counted, counts.get(name) ?? 0);
}

/** The limit applies to each type, and cuts off its younger ages. */
function useStoredIfMany(
  { counts }: StoredCounts,
  open: readonly OpenTransactions[],
): OpenTransactions[] {
  const isMany = (type: string) =>
    open.reduce((sum, entry) => (entry.type === type ? sum + entry.count : sum), 0) >= countedMax;
  return open.map((entry) => ({
    ...entry,
    count: isMany(entry.type)
      ? (counts.get(nameOfTransactions(entry)) ?? entry.count)
      : entry.count,
  }));
}

/** A limit of null counts all. */
async function countWatchedDeliveries(
  database: Queryable,
  states: ReadonlyArray<WatchedDeliveries['state']>,
  limit: number | null,
): Promise<WatchedDeliveries[]> {
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
    values: [states, limit],
  });
  return rows.map(({ state, count, oldest_at: oldestAt }) => ({ state, count, oldestAt }));
}

async function countResolved(
  database: Queryable,
  limit: number | null,
): Promise<ResolvedReviews[]> {
  const resolved: ResolvedReviews[] = [];
  for (const kind of ['delivery', 'flag'] as const) {
    const { rows } = await database.query<{ count: number }>({
      name: `count-resolved-${kind}`,
      text: `select count(*) as count from (
               select from audit where action = '${kind}.resolved' limit $1) as counted`,
      values: [limit],
    });
    resolved.push({ kind, count: rows[0]?.count ?? 0 });
  }
  return resolved;
}

async function countOpenTransactions(
  database: Queryable,
  types: ReadonlyArray<OpenTransactions['type']>,
  now: Date,
  limit: number | null,
): Promise<OpenTransactions[]> {
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
    values: [types, now, limit],
  });
  const countOfAge = (type: string, age: string) =>
    rows.find((row) => row.type === type && row.age === age)?.count ?? 0;
  return types.flatMap((type) =>
    openAges.map((age) => ({ type, age, count: countOfAge(type, age) })),
  );
}
