/**
 * Sends a statement and returns what its caller needs of the answer. The text is a template behind the values, such as
 * listRows<Row>(database, [accountId])`select … where account_id = $1`. What is inserted with ${…} becomes part of the
 * text, so only `sql` and numbers can be; everything else is a value, and `$1` in the text.
 */
import type { AnyRow, Queryable, Transaction } from '../postgres/database.ts';
import { insertRows } from '../postgres/insert-rows.ts';
import { type Sql, sql, type SqlTemplate as Text } from '../postgres/sql.ts';

type Values = readonly unknown[];

function send<Row extends AnyRow>(
  database: Queryable,
  values: Values,
  name: string | undefined,
  text: Text,
) {
  return database.query<Row>({ ...(name && { name }), text: sql(...text), values });
}

export function execute(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text): Promise<void> => void (await send(database, values, name, text));
}

export function listRows<Row extends AnyRow>(
  database: Queryable,
  values: Values = [],
  name?: string,
) {
  return async (...text: Text) => (await send<Row>(database, values, name, text)).rows;
}

export function findRow<Row extends AnyRow>(
  database: Queryable,
  values: Values = [],
  name?: string,
) {
  return async (...text: Text) => (await send<Row>(database, values, name, text)).rows[0];
}

/** Of rows with one column. */
export function listValues<Value>(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text) => {
    const { rows } = await send<Record<string, Value>>(database, values, name, text);
    return rows.flatMap(Object.values<Value>);
  };
}

/** Of a row with one column. */
export function findValue<Value>(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text) => {
    const [row = {}] = (await send<Record<string, Value>>(database, values, name, text)).rows;
    return Object.values(row)[0];
  };
}

/** Sends nothing if there are no entries. */
export async function insertAll<Entry>(
  tx: Transaction,
  insert: Parameters<typeof insertRows<Entry>>[0],
) {
  if (insert.entries.length > 0) await tx.query(insertRows(insert));
}

/** How many rows were inserted, updated or deleted. */
export function countChanges(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text) => (await send(database, values, name, text)).rowCount ?? 0;
}

/** True if one row was inserted, updated or deleted. */
export function changesOne(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text) => (await send(database, values, name, text)).rowCount === 1;
}

/** Without a limit nothing is sorted, and each node of a cluster counts its own rows. */
export function firstBy(limit: number | null, order = sql``): Sql {
  return limit === null ? sql`` : sql`${order} limit ${limit}`;
}
