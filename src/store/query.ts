/** Sends a statement and returns what its caller needs of the answer. */
import { snakeCase } from '../domain/json/snake-case.ts';
import type { AnyRow, Queryable, Statement } from '../postgres/database.ts';

export async function listRows<Row extends AnyRow>(
  database: Queryable,
  statement: Statement,
): Promise<Row[]> {
  return (await database.query<Row>(statement)).rows;
}

export async function findRow<Row extends AnyRow>(
  database: Queryable,
  statement: Statement,
): Promise<Row | undefined> {
  return (await database.query<Row>(statement)).rows[0];
}

/** Of rows with one column. */
export async function listValues<Value>(
  database: Queryable,
  statement: Statement,
): Promise<Value[]> {
  const { rows } = await database.query<Record<string, Value>>(statement);
  return rows.flatMap(Object.values<Value>);
}

/** Of a row with one column. */
export async function findValue<Value>(
  database: Queryable,
  statement: Statement,
): Promise<Value | undefined> {
  return (await listValues<Value>(database, statement))[0];
}

/** How many rows were inserted, updated or deleted. */
export async function countChanges(database: Queryable, statement: Statement): Promise<number> {
  return (await database.query(statement)).rowCount ?? 0;
}

/** True if one row was inserted, updated or deleted. */
export async function changesOne(database: Queryable, statement: Statement): Promise<boolean> {
  return (await database.query(statement)).rowCount === 1;
}

/** Columns under our names: `accountId, url` becomes `d.account_id as "accountId", d.url as "url"`, without a table no `d.`. */
export function columnsOf(fields: string, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return fields
    .split(/,\s*/)
    .map((field) => `${prefix}${snakeCase(field)} as "${field}"`)
    .join(', ');
}
