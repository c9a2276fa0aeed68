/** Applies the numbered SQL files of `migrations/`: each once, by one process at a time. */
import { readdir, readFile } from 'node:fs/promises';
import { StartError } from '../../domain/start-error.ts';
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import { sqlState } from '../../postgres/error-classes.ts';
import { findValue, listRows } from '../query.ts';
import { distributeTables, isDistributed, listUndistributed } from './distribute.ts';
import { lockSchema, withoutTimeout } from './schema-lock.ts';

const shippedFolder = new URL('../../../migrations/', import.meta.url);

type Migration = { readonly version: number; readonly name: string; readonly url: URL };

/** Applies the missing migrations and returns their names. */
export async function migrate(database: Database, folder = shippedFolder): Promise<string[]> {
  const migrations = await listMigrations(folder);
  const isMissing = (await findMissing(database, migrations)).length > 0;
  if (isMissing) await createJournal(database);
  const applied = isMissing ? await applyMissing(database, migrations) : [];
  // A new table of a cluster is distributed like the others, or no statement could join them. The process that created
  // the table may have ended before that, so this does not depend on what was applied here.
  if (await isDistributed(database)) await distributeTables(database);
  return applied;
}

async function applyMissing(database: Database, migrations: readonly Migration[]) {
  return database.transaction(async (limited) => {
    const tx = await withoutTimeout(limited);
    await lockSchema(tx);
    const missing = await findMissing(tx, migrations);
    for (const migration of missing) await apply(tx, migration);
    return missing.map(({ name }) => name);
  });
}

/** The names of the migrations that a database lacks; all of them when it is empty. */
export async function findMissingMigrations(database: Queryable): Promise<string[]> {
  const missing = await findMissing(database, await listMigrations(shippedFolder));
  return missing.map(({ name }) => name);
}

/** False while migrations are missing, or tables that they added to a cluster are not distributed yet. */
export async function isSchemaComplete(database: Queryable): Promise<boolean> {
  if ((await findMissingMigrations(database)).length > 0) return false;
  return !(await isDistributed(database)) || (await listUndistributed(database)).length === 0;
}

async function listMigrations(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-[a-z-]+\.sql$/.test(file)).sort();
  return files.map((name) => ({
    version: Number(name.slice(0, 4)),
    name,
    url: new URL(name, folder),
  }));
}

async function findMissing(database: Queryable, migrations: readonly Migration[]) {
  const applied = await listApplied(database);
  for (const { version, name } of migrations) {
    const own = applied.get(version);
    if (own !== undefined && own !== name) {
      throw new StartError(
        `The tables of the database are those of another version (${own} instead of ${name}): start with an empty database or data folder.`,
      );
    }
  }
  return migrations.filter(({ version }) => !applied.has(version));
}

async function listApplied(database: Queryable): Promise<ReadonlyMap<number, string>> {
  const exists = await findValue<boolean>(database)`
    select to_regclass('schema_migrations') is not null as exists`;
  if (!exists) return new Map();
  const rows = await listRows<{ version: number; name: string }>(database)`
    select version, name from schema_migrations`;
  return new Map(rows.map(({ version, name }) => [version, name]));
}

/** Two processes may both find no journal. The one that loses the race gets an error that means it exists now. */
async function createJournal(database: Database) {
  const uniqueViolation = '23505';
  const duplicateTable = '42P07';
  const duplicateObject = '42710';
  try {
    await database.query({
      text: `create table if not exists schema_migrations (
               version    integer     not null,
               name       text        not null,
               applied_at timestamptz not null,
               primary key (version)
             )`,
    });
  } catch (error) {
    if (![uniqueViolation, duplicateTable, duplicateObject].includes(sqlState(error) ?? ''))
      throw error;
  }
}

async function apply(tx: Transaction, { version, name, url }: Migration) {
  for (const text of splitStatements(await readFile(url, 'utf8'))) {
    await tx.query({ text });
  }
  await tx.query({
    text: 'insert into schema_migrations (version, name, applied_at) values ($1, $2, now())',
    values: [version, name],
  });
}

/** A semicolon that ends a statement; or a quoted text, comment or dollar-quoted body, whose semicolons do not. */
const tokens = /'(?:[^']|'')*'|--[^\n]*|(\$\w*\$)[\s\S]*?\1|;/g;

/** Splits the text of a migration into its statements. Citus cannot run several that are sent as one. Contract 10.4. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token !== ';') continue;
    statements.push(text.slice(start, index));
    start = index + 1;
  }
  return [...statements, text.slice(start)]
    .map((statement) => statement.trim())
    .filter((statement) => statement.replace(/--[^\n]*/g, '').trim() !== '');
}
