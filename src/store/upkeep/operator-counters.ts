/**
 * The counters on /metrics that come from the database: unfinished deliveries and transactions, their age, resolved
 * reviews and the steps of the sweep. Each is read from a partial index that contains only such rows. A scrape counts up
 * to a limit; beyond it, it takes the count of the last sweep, so its cost does not grow with the tables.
 */
import { addSeconds } from '../../domain/time.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { sql, word } from '../../postgres/sql.ts';
import { inOrder } from '../../postgres/statement.ts';
import { countUnfinishedDisputes } from '../disputes/disputes.ts';
import { countEvents, toStoredCounts, withStoredCounts } from '../events/event-counters.ts';
import { execute, findRow, findValue, firstBy, listRows } from '../query.ts';
import { listStepReports } from './background-steps.ts';

const watchedStates = ['received', 'parked', 'dead', 'needs_review'] as const;

type WatchedDeliveries = {
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

type OpenTransactions = {
  readonly type: (typeof transactionTypes)[number];
  readonly age: (typeof openAges)[number];
  readonly count: number;
};

/** How many reviews operators have resolved, from the audit log. */
type ResolvedReviews = { readonly kind: 'delivery' | 'flag'; readonly count: number };

export type OperatorCounters = Awaited<ReturnType<typeof readOperatorCounters>>;

/** A scrape counts up to here, the oldest rows first. */
const countedMax = 10_000;

export async function readOperatorCounters(database: Database, now: Date) {
  return database.transaction(async (tx) => {
    // A bitmap scan would read all matching rows before the limit applies.
    await execute(tx)`set local enable_bitmapscan = off`;
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
      disputes: await countUnfinishedDisputes(tx, countedMax),
      steps: await listStepReports(tx),
      countedAt: stored.countedAt,
    };
  });
}

/** Counts everything, however much it is, for the scrapes until the next count. A statement per kind keeps each short. */
export async function countForOperators(database: Database, now: Date) {
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
function useStoredIfMany({ counts }: StoredCounts, open: readonly OpenTransactions[]) {
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
function countWatchedDeliveries(
  database: Queryable,
  states: ReadonlyArray<WatchedDeliveries['state']>,
  limit: number | null,
): Promise<WatchedDeliveries[]> {
  return countEach(states, async (state) => {
    type Counted = Omit<WatchedDeliveries, 'state'>;
    // The planner uses the partial index only if the query repeats its condition as a literal list.
    const counted = await findRow<Counted>(database, [], `count-deliveries-${state}-${limit}`)`
      select count(*) as count, min(received_at) as "oldestAt"
        from (select received_at from deliveries
               where state = '${word(state)}' and state in ('received', 'parked', 'dead', 'needs_review')
               ${firstBy(limit, sql`order by received_at`)}) as counted`;
    return [{ count: 0, oldestAt: null, ...counted, state }];
  });
}

function countResolved(database: Queryable, limit: number | null): Promise<ResolvedReviews[]> {
  return countEach(['delivery', 'flag'] as const, async (kind) => {
    const count = await findValue<number>(database, [], `count-resolved-${kind}-${limit}`)`
      select count(*) as count
        from (select 1 from audit where action = '${word(kind)}.resolved' ${firstBy(limit)}) as counted`;
    return [{ kind, count: count ?? 0 }];
  });
}

function countOpenTransactions(
  database: Queryable,
  types: ReadonlyArray<OpenTransactions['type']>,
  now: Date,
  limit: number | null,
): Promise<OpenTransactions[]> {
  return countEach(types, async (type) => {
    type Ages = Record<OpenTransactions['age'], number>;
    const ends = ageMinutes.map((minutes) => addSeconds(now, -60 * minutes));
    const counted = await findRow<Ages>(database, ends, `count-open-${type}-${limit}`)`
      select count(*) filter (where started_at > $1) as under_10m,
             count(*) filter (where started_at > $2 and started_at <= $1) as under_1h,
             count(*) filter (where started_at > $3 and started_at <= $2) as under_1d,
             count(*) filter (where started_at > $4 and started_at <= $3) as under_2d,
             count(*) filter (where started_at > $5 and started_at <= $4) as under_10d,
             count(*) filter (where started_at <= $5) as over_10d
        from (select started_at from transactions
               where type = '${word(type)}' and started_at is not null
                 and status not in ('failed', 'succeeded', 'reversed')
               ${firstBy(limit, sql`order by started_at`)}) as counted`;
    return openAges.map((age) => ({ type, age, count: counted?.[age] ?? 0 }));
  });
}

/** Where each age ends, but for the last. */
const ageMinutes = [10, 60, 24 * 60, 48 * 60, 240 * 60];

/**
 * One statement for each, all of them issued at once: on a cluster the rows are on several nodes, and a statement that
 * joins them to a list of names does not run there.
 */
async function countEach<Name, Counted>(
  names: readonly Name[],
  count: (name: Name) => Promise<Counted[]>,
): Promise<Counted[]> {
  return (await inOrder(names.map((name) => () => count(name)))).flat();
}

type StoredCounts = Awaited<ReturnType<typeof listStoredCounts>>;

/** Counts that the sweep has taken, for /metrics, and when the oldest of them was; undefined before the first sweep. */
async function listStoredCounts(database: Queryable) {
  type Row = { name: string; count: number; counted_at: Date };
  const rows = await listRows<Row>(database, [], 'list-stored-counts')`
    select name, count, counted_at from stored_counts order by counted_at`;
  return {
    counts: new Map(rows.map(({ name, count }) => [name, count])),
    countedAt: rows[0]?.counted_at,
  };
}

async function saveCounts(database: Queryable, counts: ReadonlyMap<string, number>, at: Date) {
  await execute(database, [[...counts.keys()], [...counts.values()], at])`
    insert into stored_counts (name, count, counted_at)
    select name, count, $3 from unnest($1::text[], $2::bigint[]) as counted (name, count)
    on conflict (name) do update set count = excluded.count, counted_at = excluded.counted_at`;
}
