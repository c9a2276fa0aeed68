/** Migrations also run on tables that are spread over the nodes of a cluster. Contract 10.4. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { splitStatements } from '../../../src/store/upkeep/migrate.ts';
import { findMigrationTroubles } from '../../support/migration-rules.ts';
import { openAnalyser } from '../../support/statement-facts.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const folder = new URL('../../../migrations/', import.meta.url);

const opening = createTestDatabase('template0').then(async ({ database, url }) => {
  return { database, analyser: await openAnalyser({ connectionString: url }) };
});
// Before the database is dropped.
after(async () => (await opening).analyser.close());
const { database, analyser } = await opening;

test('every migration names its checks and computes the same on every node', async () => {
  const troubles: string[] = [];
  for (const file of (await readdir(folder)).sort()) {
    for (const statement of splitStatements(await readFile(new URL(file, folder), 'utf8'))) {
      const found = await findMigrationTroubles(analyser, statement);
      troubles.push(...found.map((sentence) => `${file} ${sentence}: ${statement}`));
      await database.query({ text: statement });
    }
  }
  assert.deepEqual(troubles, []);
});

test('a check without a name and a cast that depends on settings are found', async () => {
  const migration = `
    -- A comment; with a check (of nothing).
    alter table orders add constraint orders_tax check (tax >= 0);
    alter table orders add check (tax >= 0);
    update orders set created_at = now();
    update orders set lapses_at = created_at + interval '1 day';
    update orders set user_id = created_at::text`;
  const found = [];
  for (const statement of splitStatements(migration)) {
    found.push(await findMigrationTroubles(analyser, statement));
  }
  assert.deepEqual(found, [
    [],
    ['has a check constraint without a name'],
    [],
    [
      'computes timestamptz_pl_interval(timestamp with time zone,interval) for each row, which is not immutable',
    ],
    ['computes a cast from timestamp with time zone for each row, which is not immutable'],
  ]);
});
