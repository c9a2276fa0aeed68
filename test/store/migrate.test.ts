import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/postgres/database.ts';
import { findMissingMigrations, migrate } from '../../src/store/upkeep/migrate.ts';
import { createTestDatabase } from '../support/test-database.ts';

const files = (await readdir(new URL('../../migrations/', import.meta.url))).sort();

for (const processes of [2, 8]) {
  test(`${processes} concurrent processes that migrate an empty database apply each file once`, async () => {
    const { database, url } = await createTestDatabase('template0');
    assert.deepEqual(await findMissingMigrations(database), files);
    const rivals = Array.from({ length: processes }, () => openRival(url));

    const applied = await Promise.all(rivals.map(migrate));

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

function openRival(url: string) {
  const rival = openDatabase({ connectionString: url });
  after(() => rival.close());
  return rival;
}
