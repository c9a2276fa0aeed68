/**
 * One statement for each account of a batch. On a cluster the rows of an account are on one node, so a statement that
 * names one account runs there as a whole. Contract 10.4.
 */
import { type Columns, defineRows, type Fields } from '../postgres/binary-rows.ts';
import type { AnyRow, Queryable, Statement } from '../postgres/database.ts';
import type { Sql } from '../postgres/sql.ts';

type Owned = { readonly accountId: string };

/**
 * The statements are issued in the order of the account ids, so that two batches lock in the same order, and without
 * waiting in between, so that a transaction sends them in one pipeline. Returns the rows of all.
 */
export async function queryPerAccount<Row extends AnyRow, Entry extends Owned>(
  database: Queryable,
  entries: readonly Entry[],
  toStatement: (accountId: string, own: readonly Entry[]) => Statement,
): Promise<Row[]> {
  const [first] = entries;
  if (!first) return [];
  if (entries.every(({ accountId }) => accountId === first.accountId)) {
    return (await database.query<Row>(toStatement(first.accountId, entries))).rows;
  }
  const byAccount = Map.groupBy(entries, ({ accountId }) => accountId);
  const results = await Promise.all(
    [...byAccount.keys()]
      .sort()
      .map((accountId) =>
        database.query<Row>(toStatement(accountId, byAccount.get(accountId) ?? [])),
      ),
  );
  return results.flatMap(({ rows }) => rows);
}

type AccountRows<Entry> = {
  /** The rows without their account, for `from … row`. */
  readonly from: Sql;
  /** The account is the first parameter, `$1`. */
  readonly toParameters: (accountId: string, entries: readonly Entry[]) => unknown[];
};

/** Rows of one account as parameters. */
export function defineAccountRows<Entry>(
  fields: Fields<Entry>,
  computed?: Columns<Entry>,
): AccountRows<Entry> {
  const { from, toParameters } = defineRows(fields, computed, 2);
  return { from, toParameters: (accountId, entries) => [accountId, ...toParameters(entries)] };
}
