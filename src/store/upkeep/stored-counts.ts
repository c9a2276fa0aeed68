/** Counts that the sweep has taken, for /metrics. */
import type { Queryable } from '../../postgres/database.ts';

export type StoredCounts = {
  readonly counts: ReadonlyMap<string, number>;
  /** When the oldest of them was taken; undefined before the first sweep. */
  readonly countedAt: Date | undefined;
};

export async function listStoredCounts(database: Queryable): Promise<StoredCounts> {
  const { rows } = await database.query<{ name: string; count: number; counted_at: Date }>({
    name: 'list-stored-counts',
    text: 'select name, count, counted_at from stored_counts order by counted_at',
  });
  return {
    counts: new Map(rows.map(({ name, count }) => [name, count])),
    countedAt: rows[0]?.counted_at,
  };
}

export async function saveCounts(
  database: Queryable,
  counts: ReadonlyMap<string, number>,
  at: Date,
): Promise<void> {
  await database.query({
    text: `insert into stored_counts (name, count, counted_at)
           select name, count, $3 from unnest($1::text[], $2::bigint[]) as counted (name, count)
           on conflict (name) do update set count = excluded.count, counted_at = excluded.counted_at`,
    values: [[...counts.keys()], [...counts.values()], at],
  });
}
