/**
 * Fills tables with copies of rows that the service wrote itself, so that every copy is what the service would have
 * written. The ids of the original are replaced wherever a column contains them; all other columns are copied.
 */
import type { Database, Statement } from '../../src/postgres/database.ts';

export type Copies = {
  readonly count: number;
  readonly tables: readonly CopiedTable[];
  /** A query over `n` between $1 and $2 with one row for each copy: `n` and the ids of the copy. */
  readonly own: string;
  /** The ids of the original, and the columns of `own` that replace them; a longer id before one that is part of it. */
  readonly replaced: ReadonlyArray<readonly [id: string, by: string]>;
  /** The parameters of `own` from $4 on; $3 holds the replaced ids. */
  readonly values?: readonly unknown[];
};

export type CopiedTable = {
  readonly table: string;
  /** The rows to copy: each of these columns has this value. */
  readonly where: Readonly<Record<string, string>>;
  /** Columns with an expression of their own, in which `copied` is the one with replaced ids. */
  readonly columns?: Readonly<Record<string, (copied: string) => string>>;
};

const perStatement = 100_000;

export async function copyRows(database: Database, copies: Copies): Promise<void> {
  const tables = copies.tables.map(({ table }) => table);
  const keys = await takeKeysAway(database, tables);
  await letAutovacuum(database, tables, false);
  for (const table of copies.tables) await copyTable(database, copies, table);
  for (const text of keys) await patiently(database, { text });
  await letAutovacuum(database, tables, true);
  for (const table of tables) await patiently(database, { text: `vacuum analyze ${table}` });
}

async function copyTable(
  database: Database,
  { count, own, replaced, values = [] }: Copies,
  { table, where, columns = {} }: CopiedTable,
): Promise<void> {
  const parameters = [replaced.map(([id]) => id), ...values];
  const conditions = Object.keys(where).map((name, at) => `t.${name} = $${at + 1}`);
  const original = await listColumns(database, table, conditions.join(' and '), where);
  const expressions = original.map(({ name, type, text }) => {
    const copied = copiedColumn(`t.${name}`, type, text, replaced);
    return columns[name]?.(copied) ?? copied;
  });
  // A table of its own: without indexes, every statement would read all copies so far to find the original.
  const originals = `original_${table}`;
  await database.query({
    text: `create table ${originals} as select * from ${table} t where ${conditions.join(' and ')}`,
    values: Object.values(where),
  });
  for (let from = 1; from <= count; from += perStatement) {
    await patiently(database, {
      text: `insert into ${table} (${original.map(({ name }) => `"${name}"`).join(', ')})
             select ${expressions.join(', ')} from ${originals} t, (${own}) own
              where $3::text[] is not null`,
      values: [from, Math.min(count, from + perStatement - 1), ...parameters],
    });
  }
  await database.query({ text: `drop table ${originals}` });
}

/** Replacing costs time, so only columns that contain an id are rewritten. */
function copiedColumn(
  column: string,
  type: string,
  text: string,
  replaced: Copies['replaced'],
): string {
  const isBytes = type === 'bytea';
  let rewritten = isBytes ? `convert_from(${column}, 'UTF8')` : `${column}::text`;
  let isRewritten = false;
  for (const [at, [id, by]] of replaced.entries()) {
    if (!text.includes(id)) continue;
    rewritten = `replace(${rewritten}, ($3::text[])[${at + 1}], own.${by})`;
    isRewritten = true;
  }
  if (!isRewritten) return column;
  return isBytes ? `convert_to(${rewritten}, 'UTF8')` : `(${rewritten})::${type}`;
}

type Column = { readonly name: string; readonly type: string; readonly text: string };

/** The columns of a table, each with its text in all rows of the original. */
async function listColumns(
  database: Database,
  table: string,
  condition: string,
  where: CopiedTable['where'],
): Promise<Column[]> {
  const { rows: columns } = await database.query<{ name: string; type: string }>({
    text: `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
            where attrelid = $1::text::regclass and attnum > 0 and not attisdropped order by attnum`,
    values: [table],
  });
  const texts = columns.map(({ name, type }) =>
    type === 'bytea' ? `encode(t."${name}", 'escape')` : `t."${name}"::text`,
  );
  const { rows } = await database.query<{ texts: (string | null)[] }>({
    text: `select array[${texts.join(', ')}] as texts from ${table} t where ${condition}`,
    values: Object.values(where),
  });
  if (rows.length === 0) throw new Error(`${table} has no row to copy`);
  return columns.map((column, at) => ({
    ...column,
    text: rows.map(({ texts }) => texts[at] ?? '').join('\n'),
  }));
}

/** Inserts are ten times faster without constraints and indexes. Returns the statements that create them again. */
async function takeKeysAway(database: Database, tables: readonly string[]): Promise<string[]> {
  type Key = { readonly away: string; readonly back: string };
  const { rows: foreign } = await database.query<Key>({
    text: `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as away,
                  format('alter table %s add constraint %I %s', conrelid::regclass, conname,
                         pg_get_constraintdef(oid)) as back
             from pg_constraint where contype = 'f' and confrelid = any($1::text[]::regclass[])`,
    values: [tables],
  });
  const { rows: own } = await database.query<Key>({
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
  const all = [...foreign, ...own];
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

const patienceMs = 60 * 60 * 1_000;

/** The connections of the service have a statement timeout, which these statements would exceed. */
async function patiently(database: Database, statement: Statement): Promise<void> {
  await database.pipelined(async (connection) => {
    await connection.query({ text: 'set statement_timeout = 0' });
    await connection.query({ ...statement, query_timeout: patienceMs });
    await connection.query({ text: 'reset statement_timeout' });
  });
}
