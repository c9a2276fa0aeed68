/** What only a Citus cluster can show; `npm run test:citus` gives it one. Contract 10.4 and 15.5. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBase62 } from '../../../src/domain/ids.ts';
import { type Database, openDatabase } from '../../../src/postgres/database.ts';
import { distributeTables } from '../../../src/store/upkeep/distribute.ts';
import { isSchemaComplete, migrate } from '../../../src/store/upkeep/migrate.ts';
import { citusAddress, createCitusDatabase, dropEverywhere } from '../../../tools/harness/citus.ts';
import { isCitusRun, testShards } from '../../support/citus-cluster.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { addMigration } from '../../support/second-migration.ts';
import { createTestDatabase, openCluster } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const needsCitus = { skip: !isCitusRun && 'there is no Citus cluster: see npm run test:citus' };

test('a database without Citus is refused in one sentence', {
  skip: isCitusRun && 'it is about a database without Citus',
}, async () => {
  const { url } = await createTestDatabase();
  const { code, stderr } = await distribute(url);
  assert.equal(code, 1);
  assert.match(stderr, /^The database has no Citus: .+\n$/);
});

test('all tables of accounts are distributed, once', needsCitus, async () => {
  const { database, url } = await createTestDatabase();
  assert.deepEqual(await listUndistributedAccountTables(database), []);
  const { code, stdout } = await distribute(url);
  assert.deepEqual([code, stdout], [0, 'All tables of accounts are distributed.\n']);
});

test('an upgrade distributes the tables that it adds', needsCitus, async () => {
  const { folder, name } = await addMigration(`${oneMore};`);
  await withEmptyDatabase(async (database) => {
    await migrate(database);
    await distributeTables(database);
    assert.deepEqual(await migrate(database, folder), [name]);
    assert.deepEqual(await listUndistributedAccountTables(database), []);
  });
});

test('processes that migrate at once distribute each new table once', needsCitus, async () => {
  const { folder, name } = await addMigration(`${oneMore};`);
  await withEmptyDatabase(async (database) => {
    await migrate(database);
    await distributeTables(database);
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database, folder)));
    assert.deepEqual(applied.flat(), [name]);
    assert.deepEqual(await listUndistributedAccountTables(database), []);
  });
});

test(
  'a migration that was interrupted before it distributed its tables is continued',
  needsCitus,
  async () => {
    await withEmptyDatabase(async (database) => {
      await migrate(database);
      await distributeTables(database);
      await database.query({ text: oneMore });
      assert.notDeepEqual(await listUndistributedAccountTables(database), []);
      assert.equal(await isSchemaComplete(database), false);
      assert.deepEqual(await migrate(database), []);
      assert.deepEqual(await listUndistributedAccountTables(database), []);
      assert.equal(await isSchemaComplete(database), true);
    });
  },
);

const oneMore = `create table notes (account_id text, note_id text, primary key (account_id, note_id))`;

function distribute(url: string) {
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  return runCommandHere(['cluster', 'distribute'], env);
}

async function withEmptyDatabase(use: (database: Database) => Promise<void>): Promise<void> {
  const coordinator = openCluster();
  const name = `test_${randomBase62(12).toLowerCase()}`;
  try {
    await createCitusDatabase(coordinator, name, testShards);
    const address = { ...citusAddress(), database: name };
    const database = openDatabase(address, { purpose: 'maintenance' });
    await use(database).finally(() => database.close());
  } finally {
    await dropEverywhere(coordinator, name);
    await coordinator.close();
  }
}

async function listUndistributedAccountTables(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>({
    text: `select c.relname as name from pg_index i
             join pg_class c on c.oid = i.indrelid
             join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
            where i.indisprimary and a.attname = 'account_id' and c.relnamespace = 'public'::regnamespace
              and c.oid not in (select logicalrelid from pg_dist_partition where partmethod = 'h')`,
  });
  return rows.map(({ name }) => name);
}
