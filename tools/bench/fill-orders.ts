/**
 * Fills a database with copies of orders that the service stored, each with its transactions and, if wanted, its history
 * and deliveries. The ids of a copy are its own wherever they occur, so the invariants hold for a complete copy.
 */
import type { Database, Statement } from '../../src/postgres/database.ts';
import { ownName } from './requests.ts';

const perStatement = 100_000;
const tablesOfState = ['orders', 'transactions', 'provider_orders'];
/** They double the size of the database. `verify` needs them. */
const tablesOfPast = ['history', 'deliveries'];

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
  { withPast = false } = {},
): Promise<void> {
  const tables = withPast ? [...tablesOfState, ...tablesOfPast] : tablesOfState;
  const sources = [orderIds].flat();
  const ids = await Promise.all(sources.map((orderId) => listIds(database, accountId, orderId)));
  const keys = await takeKeysAway(database, tables);
  await letAutovacuum(database, tables, false);
  for (const table of tables) {
    const columns = await listColumns(database, table);
    // Without keys, a source would be searched in the whole table that is being filled.
    await database.query({ text: 'drop table if exists fill_sources' });
    await database.query({ text: `create table fill_sources (like ${table})` });
    await database.query({
      text: `insert into fill_sources select * from ${table}
              where account_id = $1 and order_id = any($2::text[])`,
      values: [accountId, sources],
    });
    for (let from = 1; from <= count; from += perStatement) {
      const upTo = Math.min(count, from + perStatement - 1);
      for (const [index, orderId] of sources.entries()) {
        const copied = columns.map((column) => copyExpression(column, ids[index] ?? []));
        await patiently(database, {
          text: `insert into ${table} (${columns.map(({ name }) => name).join(', ')})
                 select ${copied.join(', ')}
                   from fill_sources t, (
                     select n, substr(md5('growth' || n), 1, 16) as id,
                            'o_' || lpad(to_hex(n), 6, '0') || substr(md5('growth' || n), 1, 10) as order_id,
                            now() - (n % 31536000) * interval '1 second' as at
                       from generate_series($1::integer, $2::integer, ${sources.length}) n) own
                  where t.order_id = $3`,
          values: [from + index, upTo, orderId],
        });
      }
    }
  }
  await database.query({ text: 'drop table fill_sources' });
  for (const text of keys) await patiently(database, { text });
  await letAutovacuum(database, tables, true);
  for (const table of tables) await patiently(database, { text: `vacuum analyze ${table}` });
}

type Column = { readonly name: string; readonly type: string };

/** An id of the source, and the SQL for that of a copy, which is called `own`. */
type Id = readonly [id: string, own: string];

async function listIds(database: Database, accountId: string, orderId: string): Promise<Id[]> {
  const { rows } = await database.query<{ delivery_id: string; delivery_key: string }>({
    text: `select delivery_id, delivery_key from deliveries where account_id = $1 and order_id = $2`,
    values: [accountId, orderId],
  });
  const ofDeliveries = rows.flatMap(({ delivery_id: id, delivery_key: key }, place): Id[] => [
    [id, `'${id.slice(0, 20)}' || substr(own.order_id, 3, 15) || '${place}'`],
    [key, `own.id || '${key.slice(16)}'`],
  ]);
  return [...ofDeliveries, [orderId, 'own.order_id'], [ownName(orderId), 'own.id']];
}

/** The SQL for the value of a column of a copy; the row of the source is called `t`. */
function copyExpression({ name, type }: Column, ids: readonly Id[]): string {
  const own = ownColumns[name];
  if (own) return own;
  if (!columnsWithIds.has(name)) return `t.${name}`;
  const withOwnIds = (text: string) =>
    ids.reduce((inner, [id, copy]) => `replace(${inner}, '${id}', ${copy})`, text);
  return type === 'bytea'
    ? `convert_to(${withOwnIds(`convert_from(t.${name}, 'UTF8')`)}, 'UTF8')`
    : `${withOwnIds(`t.${name}::text`)}::${type}`;
}

/** Inserts are ten times faster without constraints and indexes. Returns the statements that create them again. */
async function takeKeysAway(database: Database, tables: readonly string[]): Promise<string[]> {
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
async function letAutovacuum(
  database: Database,
  tables: readonly string[],
  isOn: boolean,
): Promise<void> {
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
