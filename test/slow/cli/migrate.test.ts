/** `migrate`, and what a start and other commands do with a schema that is not up to date. Contract 15.1 and 15.2. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { randomBase62 } from '../../../src/domain/ids.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { readConfig } from '../../../src/process/config.ts';
import { explainUnusable } from '../../../src/process/unusable-database.ts';
import { migrate as applyMigrations } from '../../../src/store/upkeep/migrate.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { runCommandHere } from '../../support/command-here.ts';
import { addMigration } from '../../support/second-migration.ts';
import { runFailingStart, startServiceProcess } from '../../support/service-process.ts';
import { createTestDatabase, openCluster } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const migrations = readdirSync('migrations').filter((name) => name.endsWith('.sql'));
const cluster = openCluster();
after(() => cluster.close());

test('migrate sets up an empty database, accounts can be created, and a start with MIGRATE=no serves it', async () => {
  const { url } = await createTestDatabase('template0');
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex, MIGRATE: 'no' };
  const refused = await runFailingStart(env);
  assert.notEqual(refused.code, 0);
  assert.match(
    refused.output,
    /^The database is not set up for this version: run "npm run cli -- migrate".+\n$/,
  );

  assert.deepEqual(await migrate(env), migrations.toSorted());
  assert.deepEqual(await migrate(env), [], 'nothing is left to do');
  const { stdout } = await runCommandHere(['migrate'], env);
  assert.equal(stdout, 'The schema is up to date.\n');
  const created = await runCommandHere(['account', 'create', '--name', 'Early', '--json'], env);
  assert.equal(created.code, 0, created.stderr);

  const service = await startServiceProcess({ ...env, DATABASE_POOL_SIZE: '4' });
  const { access_key, access_secret } = JSON.parse(created.stdout);
  const body = { access_key, access_secret };
  assert.equal((await service.call('/api/v3/generate-token', { body })).status, 200);
  const { rows } = await cluster.query<{ count: number }>({
    text: `select count(*)::integer as count from pg_stat_activity where datname = $1`,
    values: [nameOf(url)],
  });
  assert.ok((rows[0]?.count ?? 99) <= 4, `${rows[0]?.count} connections`);
});

test('migrate names the right that a role lacks in one sentence, and works in a schema that the role owns', async () => {
  const { url } = await createTestDatabase('template0');
  const database = nameOf(url);
  const role = `tenant_${randomBase62(8).toLowerCase()}`;
  await cluster.query({ text: `create role ${role} login` });
  // The database was dropped before, with everything that the role owns.
  after(() => cluster.query({ text: `drop role ${role}` }));
  const own = url.replace(/\/\/[^@]*@/, `//${role}@`);
  const env = { DATABASE_URL: own, MASTER_KEY: testMasterKeyHex };
  const refused = await runCommandHere(['migrate'], env);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^The role of DATABASE_URL lacks a right \(.+\): .+\n$/);

  await cluster.query({ text: `grant create on database ${database} to ${role}` });
  await cluster.query({ text: `alter role ${role} set search_path to shop` });
  const tenant = openDatabase({ connectionString: own });
  await tenant.query({ text: 'create schema shop' });
  await tenant.close();
  assert.deepEqual(await migrate(env), migrations.toSorted());
  const { output } = await startServiceProcess({ ...env, LOG_LEVEL: 'warn' });
  await waitUntil('the background has started', async () => {
    const shop = openDatabase({ connectionString: own });
    const { rows } = await shop.query({
      text: `select 1 from sweep_lease where owner <> 'nobody'`,
    });
    await shop.close();
    return rows.length === 1;
  });
  assert.doesNotMatch(output(), /"level":"(error|fatal)"/);
});

test('a role that may only read and write serves what another role has migrated', async () => {
  const { database, url } = await createTestDatabase('template0');
  const env = { DATABASE_URL: url, MASTER_KEY: testMasterKeyHex };
  assert.deepEqual(await migrate(env), migrations.toSorted());
  const role = `clerk_${randomBase62(8).toLowerCase()}`;
  await cluster.query({ text: `create role ${role} login` });
  after(() => cluster.query({ text: `drop role ${role}` }));
  const own = {
    ...env,
    DATABASE_URL: url.replace(/\/\/[^@]*@/, `//${role}@`),
    MIGRATE: 'no',
  };
  const refused = await runFailingStart(own);
  assert.match(refused.output, /^The role of DATABASE_URL lacks a right \(.+\): .+\n$/);

  const page = await readFile('docs/deploy.md', 'utf8');
  const grants = /<<'SQL'\n(grant usage.+?)SQL\n/s.exec(page)?.[1] ?? assert.fail('no grants');
  await database.query({
    text: grants.replaceAll('payments_service', role).replaceAll('payments', 'current_user'),
  });
  const service = await startServiceProcess({ ...own, LOG_LEVEL: 'warn' });
  await waitUntil('the first sweep is done', async () => {
    const text = 'select 1 from background_steps where last_success_at is not null';
    return ((await database.query({ text })).rowCount ?? 0) > 0;
  });
  assert.deepEqual((await service.call('/readyz')).body, { status: 'ready' });
  assert.doesNotMatch(service.output(), /"level":"(error|fatal)"/);
  await service.end('SIGTERM');
});

test('a schema that does not exist is refused in one sentence', async () => {
  const { url } = await createTestDatabase('template0');
  const options = encodeURIComponent('-c search_path=none');
  const env = { DATABASE_URL: `${url}&options=${options}`, MASTER_KEY: testMasterKeyHex };
  const { code, stderr } = await runCommandHere(['migrate'], env);
  assert.equal(code, 1);
  assert.match(stderr, /^The schema of DATABASE_URL does not exist: create it, or .+\n$/);
});

test('a migration gives up after five seconds behind a transaction that uses a table, and changes nothing', async () => {
  const { database, url } = await createTestDatabase();
  const other = openDatabase({ connectionString: url }, { purpose: 'maintenance' });
  after(() => other.close());
  const { folder, name } = await addMigration('alter table passkeys add column one_more text;');
  await database.transaction(async (tx) => {
    await tx.query({ text: 'set local idle_in_transaction_session_timeout = 0' });
    await tx.query({ text: 'lock table passkeys in access share mode' });
    const error = await applyMigrations(other, folder).catch((cause: unknown) => cause);
    const explained = explainUnusable(
      readConfig({ DATABASE_URL: url, MASTER_KEY: testMasterKeyHex }),
      error,
    );
    assert.match(
      (explained as Error).message,
      /^Another transaction uses a table for too long, .+ run it again .+$/,
    );
  });
  assert.deepEqual(await applyMigrations(other, folder), [name]);
});

async function migrate(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { code, stdout, stderr } = await runCommandHere(['migrate', '--json'], env);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).applied;
}

function nameOf(url: string): string {
  return new URL(url.replace('@/', '@host/')).pathname.slice(1);
}
