/**
 * Text of statements, as a type of its own. Only this file makes it: from templates that take such text and numbers, and
 * from names of columns, tables and states. A plain string, which may be input, does not compile; it is a parameter.
 */
import { snakeCase } from '../domain/json/snake-case.ts';

declare const brand: unique symbol;

export type Sql = string & { readonly [brand]: true };

export type SqlTemplate = readonly [
  strings: TemplateStringsArray,
  ...parts: ReadonlyArray<Sql | number>,
];

export function sql(...[raw, ...parts]: SqlTemplate): Sql {
  return String.raw({ raw }, ...parts) as Sql;
}

export function joinSql(
  parts: readonly Sql[],
  separator: ', ' | ' and ' | ' union all ' = ', ',
): Sql {
  return parts.join(separator) as Sql;
}

/** One of a closed list of words, such as a state, a table or a type. */
export function word<Word extends string>(text: string extends Word ? never : Word): Sql {
  return checked(text);
}

/** The column of a field: `order_id` of `orderId`. */
export function columnOf(field: string): Sql {
  return checked(snakeCase(field));
}

/** Columns under our names: `accountId, url` of table `d` become `d.account_id as "accountId", d.url as "url"`. */
export function columnsOf(fields: string, table?: 'd' | 'e' | 's'): Sql {
  const prefix = table === undefined ? '' : `${table}.`;
  const columns = fields.split(/,\s*/).map((field) => `${prefix}${columnOf(field)} as "${field}"`);
  return columns.join(', ') as Sql;
}

function checked(text: string): Sql {
  if (!/^[a-z_]+$/.test(text)) throw new Error(`${text} is no name of a column, table or state`);
  return text as Sql;
}
