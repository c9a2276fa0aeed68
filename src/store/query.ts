/**
 * Sends a statement and returns what its caller needs of the answer. The text is a template behind the values, such as
 * listRows<Row>(database, [accountId])`select … where account_id = $1`: what is inserted into it is text too.
 */
import { snakeCase } from '../domain/json/snake-case.ts';
import type { AnyRow, Queryable } from '../postgres/database.ts';

type Values = readonly unknown[];
type Text = readonly [strings: TemplateStringsArray, ...parts: ReadonlyArray<string | number>];

function send<Row extends AnyRow>(
  database: Queryable,
  values: Values,
  name: string | undefined,
  [raw, ...parts]: Text,
) {
  const text = String.raw({ raw }, ...parts);
  return database.query<Row>({ ...(name && { name }), text, values });
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

/** How many rows were inserted, updated or deleted. */
export function countChanges(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text) => (await send(database, values, name, text)).rowCount ?? 0;
}

/** True if one row was inserted, updated or deleted. */
export function changesOne(database: Queryable, values: Values = [], name?: string) {
  return async (...text: Text) => (await send(database, values, name, text)).rowCount === 1;
}

/** Columns under our names: `accountId, url` becomes `d.account_id as "accountId", d.url as "url"`, without a table no `d.`. */
export function columnsOf(fields: string, table?: string): string {
  const prefix = table === undefined ? '' : `${table}.`;
  return fields
    .split(/,\s*/)
    .map((field) => `${prefix}${snakeCase(field)} as "${field}"`)
    .join(', ');
}
