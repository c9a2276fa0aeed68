/** Upgrades a data folder of the first release, where every login on the socket was the superuser. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { commandLine } from '../../../src/domain/audit.ts';
import { embeddedAddress } from '../../../src/embedded-postgres/embedded-database.ts';
import {
  makeMasterKeyOnce,
  readMasterKeys,
} from '../../../src/embedded-postgres/master-key-file.ts';
import { openDatabase } from '../../../src/postgres/database.ts';
import { startBackground } from '../../../src/process/background.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { createLog } from '../../../src/process/log.ts';
import { migrate } from '../../../src/store/upkeep/migrate.ts';
import { createAccount } from '../../../src/use-cases/accounts/create-account.ts';
import { runCommand } from '../../../tools/harness/command-line.ts';
import { findFreePort } from '../../../tools/harness/free-port.ts';
import { orderBody } from '../../support/order-bodies.ts';
import {
  createTemporaryFolder,
  launchService,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { startTrustingServer } from '../../support/test-cluster.ts';

/** Made once; each test starts from a copy. */
const firstRelease = await makeFirstRelease();

test('a start changes the owner of everything to an unprivileged role, and the data is still there', async () => {
  const { dataDir, shop } = await copyFirstRelease();

  const service = await startServiceProcess({ DATA_DIR: dataDir });

  await assertUpgraded(dataDir, service, shop);
  // The tables of the background jobs changed their owner too.
  assert.doesNotMatch(service.output(), /does not start|a defect/);
  assert.equal(await service.end('SIGTERM'), 0);
  const again = await startServiceProcess({ DATA_DIR: dataDir });
  await assertUpgraded(dataDir, again, shop);
});

test('an upgrade that is killed at any moment is completed by the next start', async (t) => {
  const { dataDir, shop } = await copyFirstRelease();
  // Before, during and after the superuser's statements; only their lock file shows that they run.
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const isAtWork = () =>
    readFile(pidFile, 'utf8').then(
      (text) => text.startsWith('-'),
      () => false,
    );
  let kills = 0;
  for (const waitMs of [0, 0, 20, 40, 80, 120, 160, 200]) {
    const env = { DATA_DIR: dataDir, PORT: String(await findFreePort()) };
    const { child, exited, output } = launchService(env);
    while (!(await isAtWork()) && !output().includes('is ready on')) await delay(1);
    await delay(waitMs);
    const isOver = output().includes('is ready on');
    child.kill(isOver ? 'SIGTERM' : 'SIGKILL');
    await exited;
    if (isOver) break;
    kills += 1;
  }
  t.diagnostic(`${kills} kills`);
  assert.ok(kills > 1);

  await assertUpgraded(dataDir, await startServiceProcess({ DATA_DIR: dataDir }), shop);
});

type Shop = { readonly accessKey: string; readonly accessSecret: string };

async function makeFirstRelease(): Promise<{ dataDir: string; shop: Shop }> {
  const dataDir = await createTemporaryFolder();
  await makeMasterKeyOnce(dataDir);
  const server = await startTrustingServer(join(dataDir, 'postgres'));
  const database = openDatabase(server.address);
  await migrate(database);
  const [masterKeyHex = ''] = await readMasterKeys(dataDir);
  const settings = { publicUrl: 'http://service.test', orderLapseSeconds: 3600 };
  const services = createServices({ database, masterKeyHex, settings });
  const shop = await createAccount(services, { name: 'Shop of the first release' }, commandLine);
  const background = await startBackground(services, createLog('silent'));
  await background.stop();
  // Objects that an operator may have added.
  for (const text of [
    'create table public.notes (note_id int generated always as identity, text text)',
    'create view public.names as select name from accounts',
    'create schema reports',
    `create type reports.mood as enum ('good', 'bad')`,
    'create domain reports.share as numeric check (value <= 1)',
    'create sequence reports.numbers',
    'create function reports.one() returns int language sql return 1',
    'create procedure reports.nothing() language sql begin atomic end',
    'create table reports."Odd name" (mood reports.mood) partition by list (mood)',
    `create table reports.good partition of reports."Odd name" for values in ('good')`,
    'create materialized view reports.accounts as select account_id from accounts',
  ]) {
    await database.query({ text });
  }
  await database.close();
  await server.stop();
  return { dataDir, shop };
}

async function copyFirstRelease(): Promise<{ dataDir: string; shop: Shop }> {
  const dataDir = join(await createTemporaryFolder(), 'data');
  await promisify(execFile)('cp', ['-a', firstRelease.dataDir, dataDir]);
  return { dataDir, shop: firstRelease.shop };
}

async function assertUpgraded(dataDir: string, service: ServiceProcess, shop: Shop): Promise<void> {
  const { body } = await service.call('/api/v3/generate-token', {
    body: { access_key: shop.accessKey, access_secret: shop.accessSecret },
  });
  const order = orderBody();
  const created = await service.call('/api/v3/create-order', { token: body.token, body: order });
  assert.equal(created.status, 200);

  const client = new pg.Client({ ...(await embeddedAddress(dataDir)) });
  await client.connect();
  const { rows } = await client.query(
    `select current_user as name, rolsuper, (select name from accounts limit 1) as shop
       from pg_roles where rolname = current_user`,
  );
  assert.deepEqual(rows, [
    { name: 'payment_orders', rolsuper: false, shop: 'Shop of the first release' },
  ]);
  const { rows: others } = await client.query(ownedByOthers);
  assert.deepEqual(others, []);
  await client.end();
  await assert.rejects(
    new pg.Client({ ...(await embeddedAddress(dataDir)), user: 'postgres' }).connect(),
  );

  const verified = await runCommand(['verify'], { DATA_DIR: dataDir });
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
}

const outside = `nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`;
const ownedByOthers = `
  select name::text, owner::regrole::text from (
    select nspname, nspname, nspowner from pg_namespace
    union all select nspname, relname, relowner from pg_class c join pg_namespace n on n.oid = relnamespace
    union all select nspname, proname, proowner from pg_proc join pg_namespace n on n.oid = pronamespace
    union all select nspname, typname, typowner from pg_type join pg_namespace n on n.oid = typnamespace
    union all select 'database', datname, datdba from pg_database where datname = current_database()
  ) owned (nspname, name, owner)
  where owner::regrole::text <> 'payment_orders'
    and (${outside} or (nspname = 'public' and name <> 'public'))`;
