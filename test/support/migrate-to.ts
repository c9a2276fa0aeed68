/** Migrates a database to the schema of an earlier release. */
import { readdir, readFile } from 'node:fs/promises';
import type { Database } from '../../src/postgres/database.ts';

const folder = new URL('../../migrations/', import.meta.url);

export async function migrateTo(database: Database, last: number): Promise<void> {
  const files = (await readdir(folder)).sort().slice(0, last);
  await database.query({
    text: `create table schema_migrations (version integer not null primary key, name text not null,
             applied_at timestamptz not null)`,
  });
  for (const [index, name] of files.entries()) {
    await database.query({ text: await readFile(new URL(name, folder), 'utf8') });
    await database.query({
      text: 'insert into schema_migrations values ($1, $2, now())',
      values: [index + 1, name],
    });
  }
}
