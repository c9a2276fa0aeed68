/**
 * One step through a list of an account, newest first. Ids begin with the time, so an index, read backwards, serves
 * every list. No index contains what changes often (docs/decisions/0015), so a step looks at a given number of rows,
 * leaves out what does not match, and says how far it came. See docs/decisions/0046.
 */
import type { Queryable } from '../postgres/database.ts';
import { joinSql, type Sql, sql } from '../postgres/sql.ts';
import { listRows } from './query.ts';

/** Adds a value to a statement, and returns its place in the text. */
export type AddValue = (value: unknown) => Sql;

export function addTo(values: unknown[]): AddValue {
  return (value) => sql`$${values.push(value)}`;
}

export type StepRange = {
  /** The cursor of a row: those behind it are looked at. */
  readonly before: string | undefined;
  /** At most so many rows are found. */
  readonly limit: number;
  /** At most so many are looked at. */
  readonly lookedAtMax: number;
};

export type FoundRows<Row> = {
  /** Newest first. */
  readonly rows: readonly Row[];
  readonly lookedAt: number;
  /** The row behind which the next step continues; undefined if no row is left. */
  readonly next: Row | undefined;
};

/** Part of a statement. */
export type Condition = (add: AddValue) => Sql;

/** A comparison such as `status =` with a value; none without one. */
export function compare(comparison: Sql, value: unknown): Condition[] {
  return value === undefined ? [] : [(add) => sql`${comparison} ${add(value)}`];
}

export function allOf(conditions: readonly Condition[], add: AddValue): Sql {
  return joinSql(
    conditions.map((one) => one(add)),
    ' and ',
  );
}

/** For a list of conditions that may be empty. */
export const always: Condition = () => sql`true`;

type NewestList = {
  readonly columns: Sql;
  /** The columns that sort the list, and their values at the cursor. */
  readonly sortedBy: readonly Sql[];
  readonly cursor: readonly unknown[] | undefined;
  /** Conditions that an index serves. */
  readonly indexed: readonly Condition[];
  /** Conditions of the rows that are looked at. */
  readonly looked: readonly Condition[];
  /**
   * The table and the condition `wanted`: the account, which is `$1`, the cursor and what is indexed. A query in place
   * of the table reads `max` rows of it at most.
   */
  readonly from: (wanted: Sql, max: Sql, add: AddValue) => Sql;
};

type Step = { readonly isMatch: boolean; readonly lookedAt: number };

export async function findNewest<Row extends object>(
  database: Queryable,
  accountId: string,
  { columns, sortedBy, cursor, indexed, looked, from }: NewestList,
  { limit, lookedAtMax }: Omit<StepRange, 'before'>,
): Promise<FoundRows<Row>> {
  const values: unknown[] = [accountId];
  const add = addTo(values);
  const newestFirst = joinSql(sortedBy.map((column) => sql`${column} desc`));
  const behind = cursor ? [() => sql`(${joinSql(sortedBy)}) < (${joinSql(cursor.map(add))})`] : [];
  const wanted = allOf([() => sql`account_id = $1`, ...behind, ...indexed], add);
  const isMatch = allOf([always, ...looked], add);
  const max = add(lookedAtMax);
  // The last row says how far the step came. One more than the limit says that the last match has a row behind it.
  const rows = await listRows<Row & Step>(database, values)`
    select * from (
      select *, count(*) over () as "lookedAt" from (
        select ${columns}, ${isMatch} as "isMatch",
               row_number() over (order by ${newestFirst}) as place
          from ${from(wanted, max, add)} order by ${newestFirst} limit ${max}) looked_at) counted
     where "isMatch" or place = "lookedAt" order by place limit ${add(limit + 1)}`;
  const lookedAt = rows[0]?.lookedAt ?? 0;
  const found = rows.filter((row) => row.isMatch).slice(0, limit);
  const hasMore = found.length === limit && rows.length > limit;
  const end = lookedAt < lookedAtMax ? undefined : rows.at(-1);
  return { rows: found, lookedAt, next: hasMore ? found.at(-1) : end };
}
