import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openDatabase } from '../../../src/postgres/database.ts';
import { findMissingMigrations, migrate } from '../../../src/store/upkeep/migrate.ts';
import { addMigration } from '../../support/second-migration.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const files = (await readdir(new URL('../../../migrations/', import.meta.url))).sort();

for (const processes of [2, 8]) {
  test(`${processes} concurrent processes that migrate an empty database apply each file once`, async () => {
    const { database, url } = await createTestDatabase('template0');
    assert.deepEqual(await findMissingMigrations(database), files);
    const databases = Array.from({ length: processes }, () => openOwn(url));

    const applied = await Promise.all(databases.map((own) => migrate(own)));

    assert.deepEqual(applied.flat(), files);
    const { rows } = await database.query<{ version: number; name: string }>({
      text: 'select version, name from schema_migrations where version > 0 order by version',
    });
    assert.deepEqual(
      rows,
      files.map((name) => ({ version: Number(name.slice(0, 4)), name })),
    );
    assert.deepEqual(await findMissingMigrations(database), []);
  });
}

test('a second run applies nothing', async () => {
  const { database } = await createTestDatabase('template0');
  assert.deepEqual(await migrate(database), files);
  assert.deepEqual(await migrate(database), []);
});

test('an upgrade applies the migration that is missing, once, whoever starts it', async () => {
  const { database, url } = await createTestDatabase();
  const { folder, name } = await addMigration('create table notes (note_id text primary key);');
  const databases = Array.from({ length: 4 }, () => openOwn(url));
  const applied = await Promise.all(databases.map((own) => migrate(own, folder)));
  assert.deepEqual(applied.flat(), [name]);
  const { rows } = await database.query<{ name: string }>({
    text: 'select name from schema_migrations where version > 0 order by version',
  });
  assert.deepEqual(
    rows.map((row) => row.name),
    [...files, name],
  );
  assert.deepEqual(await migrate(database), [], 'the former release finds nothing to do');
});

test('the tables of another version are refused, also before they are migrated', async () => {
  const { database } = await createTestDatabase();
  await database.query({
    text: `update schema_migrations set name = '0001-accounts.sql' where version = 1`,
  });
  const refusal = /^StartError: The tables .+ \(0001-accounts\.sql instead of 0001-baseline\.sql\)/;
  await assert.rejects(migrate(database), refusal);
  await assert.rejects(findMissingMigrations(database), refusal);
});

test('a migration that fails changes nothing', async () => {
  const { database } = await createTestDatabase();
  const { folder } = await addMigration('create table notes (note_id text); select 1 / 0;');
  await assert.rejects(migrate(database, folder), /division by zero/);
  const { rows } = await database.query({
    text: `select to_regclass('notes') as notes, max(version) as version from schema_migrations`,
  });
  assert.deepEqual(rows, [{ notes: null, version: files.length }]);
});

function openOwn(url: string) {
  const own = openDatabase({ connectionString: url });
  after(() => own.close());
  return own;
}
