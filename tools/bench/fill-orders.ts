/**
 * Fills a database with copies of orders that the service stored, each with its transactions, history and deliveries.
 * The ids of a copy are its own wherever they occur, so the invariants hold for a copy if they hold for its source.
 */
import type { Database, Statement } from '../../src/postgres/database.ts';
import { ownName } from './requests.ts';

const perStatement = 100_000;
const tables = ['orders', 'transactions', 'provider_orders', 'history', 'deliveries'] as const;

/** The columns of orders that differ in each copy besides the ids. */
const ownColumns: Readonly<Record<string, string>> = {
  invoice_id: "'GROWTH-' || own.n",
  created_at: 'own.at',
};

/** The columns that contain ids of the order, its transactions or its deliveries. */
const columnsWithIds: ReadonlySet<string> = new Set([
  ...['order_id', 'transaction_id', 'psp_transaction_id', 'notices', 'fields'],
  ...['provider_order_id', 'cause', 'entries'],
  ...['delivery_id', 'delivery_key', 'event_id', 'headers', 'body'],
]);

/** With several sources, each is copied as often as the others. */
export async function fillOrders(
  database: Database,
  accountId: string,
  orderIds: string | readonly string[],
  count: number,
): Promise<void> {
  const sources = [orderIds].flat();
  const keys = await takeKeysAway(database);
  await letAutovacuum(database, false);
  for (const table of tables) {
    const columns = await listColumns(database, table);
    for (const [index, orderId] of sources.entries()) {
      const copied = await copyExpressions(database, accountId, orderId, columns);
      for (let from = 1; from <= count; from += perStatement) {
        await patiently(database, {
          text: `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
                 select ${copied.join(', ')}
                   from ${table} t, (
                     select n, substr(md5('growth' || n), 1, 16) as id,
                            'o_' || lpad(to_hex(n), 6, '0') || substr(md5('growth' || n), 1, 10) as order_id,
                            now() - (n % 31536000) * interval '1 second' as at
                       from generate_series($1::integer, $2::integer) n
                      where n % ${sources.length} = ${index}) own
                  where t.account_id = $3 and t.order_id = $4`,
          values: [from, Math.min(count, from + perStatement - 1), accountId, orderId],
        });
      }
    }
  }
  for (const text of keys) await patiently(database, { text });
  await letAutovacuum(database, true);
  for (const table of tables) await patiently(database, { text: `vacuum analyze ${table}` });
}

type Column = { readonly name: string; readonly type: string };

/** For each column the SQL that makes its value for a copy: `own` is the copy, `t` the row of the source. */
async function copyExpressions(
  database: Database,
  accountId: string,
  orderId: string,
  columns: readonly Column[],
): Promise<string[]> {
  const { rows } = await database.query<{ delivery_id: string; delivery_key: string }>({
    text: `select delivery_id, delivery_key from deliveries where account_id = $1 and order_id = $2`,
    values: [accountId, orderId],
  });
  const ids: ReadonlyArray<readonly [id: string, own: string]> = [
    ...rows.flatMap(({ delivery_id, delivery_key }, place) => [
      [
        delivery_id,
        `'${delivery_id.slice(0, 20)}' || substr(own.order_id, 3, 15) || '${place}'`,
      ] as const,
      [delivery_key, `own.id || '${delivery_key.slice(16)}'`] as const,
    ]),
    [orderId, 'own.order_id'],
    [ownName(orderId), 'own.id'],
  ];
  const withOwnIds = (text: string) =>
    ids.reduce((inner, [id, own]) => `replace(${inner}, '${id}', ${own})`, text);
  return columns.map(({ name, type }) => {
    const own = ownColumns[name];
    if (own) return own;
    if (!columnsWithIds.has(name)) return `t.${name}`;
    if (type === 'bytea')
      return `convert_to(${withOwnIds(`convert_from(t.${name}, 'UTF8')`)}, 'UTF8')`;
    return `${withOwnIds(`t.${name}::text`)}::${type}`;
  });
}

/** Inserts are ten times faster without constraints and indexes. Returns the statements that create them again. */
async function takeKeysAway(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ away: string; back: string }>({
    text: `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
                  format('alter table %s add constraint %I %s', conrelid::regclass, conname,
                         pg_get_constraintdef(oid)) as back
             from pg_constraint where contype in ('p', 'u') and conrelid = any($1::text[]::regclass[])
            union all
           select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
             from pg_index where indrelid = any($1::text[]::regclass[])
              and not exists (select from pg_constraint c where c.conindid = indexrelid)`,
    values: [tables],
  });
  const dropped = await database.query<{ away: string; back: string }>({
    text: `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
                  format('alter table %s add constraint %I %s', conrelid::regclass, conname,
                         pg_get_constraintdef(oid)) as back
             from pg_constraint where contype = 'f' and confrelid = any($1::text[]::regclass[])`,
    values: [tables],
  });
  const all = [...dropped.rows, ...rows];
  for (const { away } of all) await database.query({ text: away });
  return all.toReversed().map(({ back }) => back);
}

/** Autovacuum would repeatedly read the rows that are being written. */
async function letAutovacuum(database: Database, isOn: boolean): Promise<void> {
  for (const table of tables) {
    await database.query({ text: `alter table ${table} set (autovacuum_enabled = ${isOn})` });
  }
}

async function listColumns(database: Database, table: string): Promise<Column[]> {
  const { rows } = await database.query<Column>({
    text: `select column_name as name, udt_name as type from information_schema.columns
            where table_name = $1`,
    values: [table],
  });
  return rows;
}

const patienceMs = 60 * 60 * 1_000;

/** The connections of the service have a statement timeout, which these statements would exceed. */
async function patiently(database: Database, statement: Statement): Promise<void> {
  await database.pipelined(async (connection) => {
    await connection.query({ text: 'set statement_timeout = 0' });
    await connection.query({ ...statement, query_timeout: patienceMs });
    await connection.query({ text: 'reset statement_timeout' });
  });
}
