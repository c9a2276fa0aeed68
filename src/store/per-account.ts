/**
 * Statements for rows of one or several accounts. On a cluster the rows of an account are on one node, so a statement that
 * names one account runs there as a whole; one server takes a single statement for all accounts. Contract 10.4.
 */
import { type Columns, defineRows, type Fields } from '../postgres/binary-rows.ts';
import type { AnyRow, Queryable, Statement } from '../postgres/database.ts';
import { type Sql, type SqlTemplate, sql, word } from '../postgres/sql.ts';

type Owned = { readonly accountId: string };

/**
 * The account of the table or alias: the first parameter, `$1`, in a statement for one account, and the column
 * `account_id` in one for several.
 */
export function accountOf<Alias extends string>(alias: string extends Alias ? never : Alias): Sql {
  return sql`$1/*${word(alias)}*/`;
}

/**
 * The statements are issued in the order of the account ids, so that two batches lock in the same order, and without
 * waiting in between, so that a transaction sends them in one pipeline. Returns the rows of all. `together`: the one
 * statement for all accounts, if there is one.
 */
export async function queryPerAccount<Row extends AnyRow, Entry extends Owned>(
  database: Queryable,
  entries: readonly Entry[],
  toStatement: (accountId: string, own: readonly Entry[]) => Statement,
  together?: (entries: readonly Entry[]) => Statement | undefined,
): Promise<Row[]> {
  const [first] = entries;
  if (!first) return [];
  if (entries.every(({ accountId }) => accountId === first.accountId)) {
    return (await database.query<Row>(toStatement(first.accountId, entries))).rows;
  }
  const perAccount = () => {
    const byAccount = Map.groupBy(entries, ({ accountId }) => accountId);
    const accountIds = [...byAccount.keys()].sort();
    return accountIds.map((accountId) => toStatement(accountId, byAccount.get(accountId) ?? []));
  };
  const one = together?.(entries);
  if (one) return (await database.query<Row>({ ...one, perAccount })).rows;
  const results = await Promise.all(
    perAccount().map((statement) => database.query<Row>(statement)),
  );
  return results.flatMap(({ rows }) => rows);
}

/** Rows of one or several accounts as parameters. */
export function defineAccountRows<Entry>(fields: Fields<Entry>, computed?: Columns<Entry>) {
  const { from, toParameters } = defineRows(fields, computed, 2);
  const owned = defineRows<Entry & Owned>(
    { ...fields, text: ['accountId', ...(fields.text ?? [])] },
    computed,
  );
  /** A call of `query` always has the same text. Null for one that is only for one account. */
  const textsTogether = new Map<Sql, string | null>();
  const findTextTogether = (text: Sql): string | null => {
    const known = textsTogether.get(text);
    if (known !== undefined) return known;
    const shared = text.replaceAll(/\$1\/\*(\w+)\*\//g, '$1.account_id');
    const together = /\$1(?!\d)/.test(shared) ? null : shared.replaceAll(from, () => owned.from);
    textsTogether.set(text, together);
    return together;
  };
  return {
    /** The rows without their account, for `from … row`. */
    from,
    /** The account is the first parameter, `$1`. */
    toParameters: (accountId: string, entries: readonly Entry[]): unknown[] => [
      accountId,
      ...toParameters(entries),
    ],
    /**
     * Takes the text as a template behind it. One that names the account by `accountOf` only is sent once for all
     * accounts, any other once for each.
     */
    query:
      <Row extends AnyRow>(
        database: Queryable,
        entries: ReadonlyArray<Entry & Owned>,
        name?: string,
        concurrentInserts?: readonly string[],
      ) =>
      (...template: SqlTemplate) => {
        const text = sql(...template);
        return queryPerAccount<Row, Entry & Owned>(
          database,
          entries,
          (accountId, own) => {
            const values = [accountId, ...toParameters(own)];
            return { name, text, values, concurrentInserts };
          },
          (all) => {
            const together = findTextTogether(text);
            if (together === null) return undefined;
            const values = owned.toParameters(all);
            return {
              name: name && `${name}-of-accounts`,
              text: together,
              values,
              concurrentInserts,
            };
          },
        );
      },
  };
}
