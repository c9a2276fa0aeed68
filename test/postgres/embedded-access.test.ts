/** What the embedded database lets the service do, and that it lets nobody else in. */
import assert from 'node:assert/strict';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import {
  embeddedAddress,
  startEmbeddedDatabase,
} from '../../src/embedded-postgres/embedded-database.ts';
import { type DatabaseAddress, openDatabase } from '../../src/postgres/database.ts';
import { createTemporaryFolder } from '../support/service-process.ts';

const insufficientPrivilege = '42501';
const dataDir = await createTemporaryFolder();
const passwordFile = join(dataDir, 'database.password');
const masterKeyFile = join(dataDir, 'master.key');
await writeFile(masterKeyFile, 'secret\n', { mode: 0o600 });
const warnings: string[] = [];
let { address, stop } = await start();
after(() => stop());
const database = openDatabase(address);
after(() => database.close());

test('the role of the service is not a superuser and has no server privileges', async () => {
  const { rows } = await database.query({
    text: `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
                  (select count(*) from pg_auth_members where member = pg_roles.oid) as memberships
             from pg_roles where rolname = current_user`,
  });
  assert.deepEqual(
    { ...rows[0] },
    {
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      memberships: 0,
    },
  );
});

const attempts = {
  'run a program': `copy (select 1) to program 'true'`,
  'take in what a program writes': `do $$ begin create temp table t (line text); copy t from program 'id'; end $$`,
  'read a file': `select pg_read_file('/etc/hostname')`,
  'read the master key': `select pg_read_file('${masterKeyFile}')`,
  'copy a file': `do $$ begin create temp table t (line text); copy t from '${masterKeyFile}'; end $$`,
  'write a file': `copy (select 1) to '/tmp/written-by-the-database'`,
  'list a folder': `select pg_ls_dir('/')`,
  'take a file in as a large object': `select lo_import('/etc/hostname')`,
  'change the settings of the server': `alter system set listen_addresses = '*'`,
  'load a library': `load '/tmp/library.so'`,
  'make a function in a language that is not trusted': `create function f() returns int language c as 'library', 'f'`,
  'make a role': 'create role another superuser',
  'become the superuser': 'set role postgres',
} as const;
for (const [what, text] of Object.entries(attempts)) {
  test(`the service cannot ${what}`, async () => {
    const error = await database.query({ text }).catch((error: unknown) => error);
    const { code } = ((error as Error).cause ?? error) as { code?: string };
    assert.equal(code, insufficientPrivilege, String((error as Error).message));
  });
}

test('nobody else can log in: no password, another one, or the superuser', async () => {
  const { password, ...bare } = address as Extract<DatabaseAddress, { host: string }>;
  assert.match(password ?? '', /^[0-9a-f]{64}$/);
  const superuser = { ...bare, user: 'postgres' };
  for (const wrong of [
    bare,
    { ...bare, password: 'another' },
    superuser,
    { ...superuser, password },
    { ...superuser, database: 'template1' },
  ]) {
    await assert.rejects(logIn(wrong), /password|no pg_hba.conf entry/);
  }
  await logIn(address);
  const rules = await readFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'utf8');
  assert.doesNotMatch(rules.replaceAll(/^#.*/gm, ''), /trust|peer|host/);
});

test('the password is readable by its owner only', async () => {
  assert.equal((await stat(passwordFile)).mode & 0o777, 0o600);
});

test('a password file that is lost, or does not match the restored data, is replaced at the next start', async () => {
  const { password: former } = address as { password?: string };
  for (const spoil of [() => rm(passwordFile), () => writeFile(passwordFile, 'another\n')]) {
    await stop();
    await spoil();
    ({ address, stop } = await start());
    assert.deepEqual(await embeddedAddress(dataDir), address);
    assert.notEqual((address as { password?: string }).password, former);
    await logIn(address);
  }
});

test('access rules that somebody loosened are restored at the next start', async () => {
  await stop();
  await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
  ({ address, stop } = await start());
  await logIn(address);
  await assert.rejects(logIn({ ...address, user: 'postgres' } as DatabaseAddress));
});

function start() {
  return startEmbeddedDatabase(dataDir, { warn: (line) => warnings.push(line) });
}

async function logIn(to: DatabaseAddress): Promise<void> {
  const client = new pg.Client({ ...to });
  try {
    await client.connect();
  } finally {
    await client.end();
  }
}
