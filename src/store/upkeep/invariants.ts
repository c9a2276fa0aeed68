/** The invariants that `verify` checks table by table, one page of rows at a time. Contract 9.1, 9.2 and 9.7. */
import type { Database, Queryable } from '../../postgres/database.ts';
import { joinSql, type Sql, sql, word } from '../../postgres/sql.ts';
import { hasId } from '../payments/transactions.ts';
import { findRow, listRows, listValues } from '../query.ts';

export type Breach = { readonly where: string; readonly what: string };

/** The primary key of a row as text, beginning with its account id. */
export type RowKey = readonly string[];

/** Which rows to read: those behind a key, of one account or of all. */
export type RowsAfter = {
  readonly after: RowKey | undefined;
  readonly accountId: string | undefined;
  readonly limit: number;
};

/** The rows of a page, the key of its last row, and what is wrong with them. */
export type CheckedRows = {
  readonly rows: number;
  readonly last: RowKey | undefined;
  readonly breaches: readonly Breach[];
};

/** The SQL condition for the rows of a page, with its values from `$1` on. */
export function conditionOf(
  key: readonly Sql[],
  { after, accountId }: Pick<RowsAfter, 'after' | 'accountId'>,
) {
  const conditions = [sql`true`];
  const values = [...(after ?? [])];
  if (after) {
    const parameters = key.map(
      (column, index) => sql`$${index + 1}${column === 'key_digest' ? sql`::bytea` : sql``}`,
    );
    conditions.push(sql`(${joinSql(key)}) > (${joinSql(parameters)})`);
  }
  if (accountId !== undefined) conditions.push(sql`account_id = $${values.push(accountId)}`);
  return { condition: joinSql(conditions, ' and '), values };
}

/**
 * What a constraint of the database enforces on every row is not looked for row by row: it holds as long as the
 * constraint exists and is valid.
 */
const constraints = {
  deliveries: [['deliveries', 'deliveries_account_id_provider_delivery_key_key']],
  invoices: [['orders', 'orders_account_id_invoice_id_key']],
  accounts: [
    ['delivery_references', 'delivery_references_account_id_delivery_id_fkey'],
    ['account_secrets', 'account_secrets_account_id_fkey'],
  ],
} as const;

export async function findMissingConstraints(database: Queryable, kind: keyof typeof constraints) {
  const required = constraints[kind];
  const values = [required.map(([table]) => table), required.map(([, name]) => name)];
  const rows = await listRows<{ table_name: string; name: string }>(database, values)`
    select table_name, name from unnest($1::text[], $2::text[]) as required (table_name, name)
     where not exists (
       select from pg_constraint c join pg_index i on i.indexrelid = c.conindid
        where c.conrelid = to_regclass(required.table_name) and c.conname = required.name
          and c.convalidated and i.indisvalid and i.indisunique)`;
  return rows.map(({ table_name, name }) => ({
    where: table_name,
    what: `lacks the valid constraint ${name}`,
  }));
}

export const deliveryKey = [sql`account_id`, sql`delivery_id`];

/** Contract 9.1: a delivery is finished, or has a time for its next try. */
export async function checkDeliveries(database: Queryable, page: RowsAfter): Promise<CheckedRows> {
  const { condition, values } = conditionOf(deliveryKey, page);
  const checked = await findRow<CheckedRows>(database, [...values, page.limit])`
    with page as materialized (
      select account_id, delivery_id,
             case when state in ('received', 'parked') and next_try_at is null
                  then 'unfinished without a time for its next try'
                  when state in ('processed', 'stale') and order_id is null
                  then 'applied, but to no order' end as breach
        from deliveries where ${condition}
       order by account_id, delivery_id limit $${values.length + 1})
    select (select count(*) from page) as rows, array[account_id, delivery_id] as last,
           (select coalesce(json_agg(json_build_object('where', delivery_id, 'what', breach)), '[]')
              from page where breach is not null) as breaches
      from page order by account_id desc, delivery_id desc limit 1`;
  return checked ?? { rows: 0, last: undefined, breaches: [] };
}

/**
 * Rows that point to rows of their own account, without a foreign key for speed. References to an order by the order's
 * own rows (transactions, history, deliveries) are checked with the order. `key` follows the account, `name` is the column
 * that names the row in a report, and the row refers to the id of `target`.
 */
export const references = [
  {
    table: 'refund_requests',
    key: ['refund_request_id'],
    name: 'refund_request_id',
    target: 'transactions',
  },
  {
    table: 'idempotency_keys',
    key: ['key_digest', 'scope'],
    name: 'transaction_id',
    target: 'orders',
  },
  {
    table: 'provider_orders',
    key: ['provider', 'provider_order_id'],
    name: 'provider_order_id',
    target: 'orders',
  },
  // Not its primary key: whoever reads a link id in a cursor or a report could open the order.
  { table: 'payment_links', key: ['order_id'], name: 'order_id', target: 'orders' },
  { table: 'review_resolutions', key: ['subject', 'flag'], name: 'subject', target: 'accounts' },
  { table: 'audit', key: ['audit_id'], name: 'audit_id', target: 'accounts' },
] as const;

const idColumns = {
  accounts: 'account_id',
  orders: 'order_id',
  transactions: 'transaction_id',
} as const;

type Reference = (typeof references)[number];

/** Contract 9.7: rows of one account never refer to rows of another. */
export async function checkReferences(database: Database, reference: Reference, page: RowsAfter) {
  const { table, name, target } = reference;
  const key = [sql`account_id`, ...reference.key.map((part) => word(part))];
  const { condition, values } = conditionOf(key, page);
  type Row = { key: RowKey; where: string; target: string };
  const rows = await listRows<Row>(database, [...values, page.limit])`
    select array[${joinSql(key.map((part) => sql`${part}::text`))}] as key,
           ${word(name)} as "where", ${word(idColumns[target])} as target
      from ${word(table)} where ${condition}
     order by ${joinSql(key)} limit $${values.length + 1}`;
  const breaches = await findForeign(database, reference, rows);
  return { rows: rows.length, last: rows.at(-1)?.key, breaches };
}

/** The targets are read after the rows that refer to them, and are never deleted. So what is missing was never there. */
async function findForeign(
  database: Database,
  { table, target }: Reference,
  rows: ReadonlyArray<{ readonly key: RowKey; readonly where: string; readonly target: string }>,
): Promise<Breach[]> {
  const byAccount = Map.groupBy(rows, ({ key }) => key[0] ?? '');
  const missing = await database.pipelined((connection) =>
    Promise.all(
      [...byAccount].map(async ([accountId, own]) => {
        const ids = [...new Set(own.map((row) => row.target))];
        const found = new Set(await findTargets[target](connection, accountId, ids));
        return own.filter((row) => !found.has(row.target));
      }),
    ),
  );
  const what = foreignReference(table, target);
  return missing.flat().map(({ where }) => ({ where, what }));
}

export function foreignReference(table: string, target: string): string {
  return `${table} row refers to ${target} row that its account does not have`;
}

const findTargets = {
  accounts: (database: Queryable, accountId: string) =>
    listValues<string>(database, [accountId])`
      select account_id as id from accounts where account_id = $1`,
  orders: (database: Queryable, accountId: string, ids: readonly string[]) =>
    listValues<string>(database, [accountId, ids])`
      select order_id as id from orders where account_id = $1 and order_id = any($2::text[])`,
  transactions: (database: Queryable, accountId: string, ids: readonly string[]) =>
    listValues<string>(database, [accountId, ids])`
      select wanted.id from unnest($2::text[]) as wanted (id)
       where exists (select from transactions t where t.account_id = $1 and ${hasId(sql`wanted.id`)})`,
} as const;

/** The accounts of these ids that do not exist. */
export async function findMissingAccounts(database: Queryable, accountIds: readonly string[]) {
  const found = await listValues<string>(database, [accountIds])`
    select account_id as id from accounts where account_id = any($1::text[])`;
  return accountIds.filter((accountId) => !found.includes(accountId));
}
