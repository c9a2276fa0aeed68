/** Fills a database with copies of one paid order, each with its transaction and the provider's id of the order. */
import type { Database, Statement } from '../../src/postgres/database.ts';

const perStatement = 100_000;
const tables = ['orders', 'transactions', 'provider_orders'] as const;

/** The columns that differ in each copy; all others are copied. */
const ownColumns: Readonly<Record<(typeof tables)[number], Readonly<Record<string, string>>>> = {
  orders: { order_id: 'own.order_id', invoice_id: "'GROWTH-' || own.n", created_at: 'own.at' },
  transactions: {
    order_id: 'own.order_id',
    transaction_id: 'own.order_id || right(t.transaction_id, 13)',
    psp_transaction_id: "'pay_' || own.id",
  },
  provider_orders: { order_id: 'own.order_id', provider_order_id: "'order_' || own.id" },
};

export async function fillOrders(
  database: Database,
  accountId: string,
  orderId: string,
  count: number,
): Promise<void> {
  const keys = await takeKeysAway(database);
  await letAutovacuum(database, false);
  for (const table of tables) {
    const columns = await listColumns(database, table);
    const own: Readonly<Record<string, string>> = ownColumns[table];
    for (let from = 1; from <= count; from += perStatement) {
      await patiently(database, {
        text: `insert into ${table} (${columns.join(', ')})
               select ${columns.map((name) => own[name] ?? `t.${name}`).join(', ')}
                 from ${table} t, (
                   select n, substr(md5('growth' || n), 1, 16) as id,
                          'o_' || lpad(to_hex(n), 6, '0') || substr(md5('growth' || n), 1, 10) as order_id,
                          now() - (n % 31536000) * interval '1 second' as at
                     from generate_series($1::integer, $2::integer) n) own
                where t.account_id = $3 and t.order_id = $4`,
        values: [from, Math.min(count, from + perStatement - 1), accountId, orderId],
      });
    }
  }
  for (const text of keys) await patiently(database, { text });
  await letAutovacuum(database, true);
  for (const table of tables) await patiently(database, { text: `vacuum analyze ${table}` });
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

async function listColumns(database: Database, table: string): Promise<string[]> {
  const { rows } = await database.query<{ column_name: string }>({
    text: 'select column_name from information_schema.columns where table_name = $1',
    values: [table],
  });
  return rows.map(({ column_name }) => column_name);
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
