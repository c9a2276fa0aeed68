/**
 * One statement for each account of a batch. On a cluster the rows of an account are on one node, so a statement that
 * names one account runs there as a whole. Contract 10.4.
 */
import { type Columns, defineRows, type Fields } from '../postgres/binary-rows.ts';
import type { AnyRow, Queryable, Statement } from '../postgres/database.ts';
import { type SqlTemplate, sql } from '../postgres/sql.ts';

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

/** Rows of one account as parameters. */
export function defineAccountRows<Entry>(fields: Fields<Entry>, computed?: Columns<Entry>) {
  const { from, toParameters } = defineRows(fields, computed, 2);
  return {
    /** The rows without their account, for `from … row`. */
    from,
    /** The account is the first parameter, `$1`. */
    toParameters: (accountId: string, entries: readonly Entry[]): unknown[] => [
      accountId,
      ...toParameters(entries),
    ],
    /** Takes the text as a template behind it, and sends it with the rows of each account. */
    query:
      <Row extends AnyRow>(
        database: Queryable,
        entries: ReadonlyArray<Entry & Owned>,
        name?: string,
        concurrentInserts?: readonly string[],
      ) =>
      (...template: SqlTemplate) =>
        queryPerAccount<Row, Entry & Owned>(database, entries, (accountId, own) => {
          const values = [accountId, ...toParameters(own)];
          return { name, text: sql(...template), values, concurrentInserts };
        }),
  };
}
