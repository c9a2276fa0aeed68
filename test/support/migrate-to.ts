/** Migrates a database to the schema of an earlier release. */
import { readdir, readFile } from 'node:fs/promises';
import type { Database } from '../../src/postgres/database.ts';
import { splitStatements } from '../../src/store/upkeep/migrate.ts';

const folder = new URL('../../migrations/', import.meta.url);

export async function migrateTo(database: Database, last: number): Promise<void> {
  for (let index = 0; index < last; index += 1) await migrateOne(database, index);
}

/** Applies the migration at this place in the list, and records it. */
export async function migrateOne(database: Database, index: number): Promise<void> {
  const name = (await readdir(folder)).sort()[index] ?? '';
  await database.query({
    text: `create table if not exists schema_migrations (version integer not null primary key,
             name text not null, applied_at timestamptz not null)`,
  });
  for (const text of splitStatements(await readFile(new URL(name, folder), 'utf8'))) {
    await database.query({ text });
  }
  await database.query({
    text: 'insert into schema_migrations values ($1, $2, now())',
    values: [index + 1, name],
  });
}
