/** What the service depends on in a session is set by the service, whatever the server and the operator prefer. Contract 10.5. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/postgres/database.ts';
import { createTestDatabase, openCluster } from '../support/test-database.ts';

const { url } = await createTestDatabase();
const name = new URL(url.replace('@/', '@host/')).pathname.slice(1);
const cluster = openCluster();
after(() => cluster.close());

const unusual = {
  default_transaction_isolation: 'serializable',
  datestyle: 'SQL, DMY',
  timezone: 'Asia/Kolkata',
  statement_timeout: '1h',
  lock_timeout: '1h',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '1h',
};
for (const [setting, value] of Object.entries(unusual)) await setDefault(setting, value);

const ways: readonly (readonly [string, DatabaseOptions])[] = [
  ['pipelined', {}],
  ['one by one', { checkPipelining: () => Promise.reject(new Error('not here')) }],
  ['for maintenance', { purpose: 'maintenance' }],
];

for (const [way, options] of ways) {
  test(`statements ${way}: isolation, date style and time zone are ours on a server with other defaults`, async () => {
    const own = openOwn(url, options);
    const text = `select current_setting('transaction_isolation') as isolation,
                         current_setting('datestyle') as style, current_setting('timezone') as zone,
                         '2026-02-01T10:00:00Z'::timestamptz as time, '2026-02-01'::text as day`;
    const expected = {
      isolation: 'read committed',
      style: 'ISO, MDY',
      zone: 'UTC',
      day: '2026-02-01',
      time: new Date('2026-02-01T10:00:00Z'),
    };
    assert.deepEqual((await own.query({ text })).rows, [expected]);
    const within = await own.transaction((tx) => tx.query({ name: 'settings', text }));
    assert.deepEqual(within.rows, [expected]);
  });
}

for (const [chosen, used] of [
  ['off', 'on'],
  ['local', 'on'],
  ['remote_write', 'on'],
  ['remote_apply', 'remote_apply'],
] as const) {
  test(`a commit is durable where the server says synchronous_commit = ${chosen}`, async () => {
    await setDefault('synchronous_commit', chosen);
    const text = `select current_setting('synchronous_commit') as level`;
    for (const [, options] of ways) {
      const { rows } = await openOwn(url, options).query({ text });
      assert.deepEqual(rows, [{ level: used }]);
    }
    await setDefault('synchronous_commit', 'on');
  });
}

test('a limit for whole transactions is lifted where the server has one', async () => {
  const { rows } = await openOwn(url).query({
    text: `select current_setting('transaction_timeout') as timeout`,
  });
  assert.deepEqual(rows, [{ timeout: '0' }]);
});

test('the options of the operator apply where they are not ours', async () => {
  const words = '-c search_path=shop,public -c default_transaction_isolation=serializable';
  const own = openOwn(`${url}&options=${encodeURIComponent(words)}`);
  const { rows } = await own.query({
    text: `select current_setting('search_path') as path, current_setting('transaction_isolation') as isolation,
                  current_setting('enable_seqscan') as scans`,
  });
  assert.deepEqual(rows, [{ path: 'shop,public', isolation: 'read committed', scans: 'off' }]);
});

test('a server that is read-only is unavailable, for reads too, until it takes writes', async () => {
  await setDefault('default_transaction_read_only', 'on');
  const own = openOwn(url);
  const read = () => own.query({ text: 'select 1 as one' });
  await assert.rejects(read(), { code: 'SERVICE_UNAVAILABLE' });
  await setDefault('default_transaction_read_only', 'off');
  assert.deepEqual((await read()).rows, [{ one: 1 }]);
});

test('a connection whose server has become read-only is given up', async () => {
  const own = openOwn(url, { connectionsMax: 1 });
  const pidOf = async () =>
    (await own.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })).rows[0]?.pid;
  const before = await pidOf();
  const write = own.transaction(async (tx) => {
    await tx.query({ text: 'set transaction read only' });
    await tx.query({ text: 'create table written (id integer)' });
  });
  await assert.rejects(write, { code: 'SERVICE_UNAVAILABLE' });
  assert.notEqual(await pidOf(), before);
});

function openOwn(address: string, options: DatabaseOptions = {}): Database {
  const database = openDatabase({ connectionString: address }, options);
  after(() => database.close());
  return database;
}

async function setDefault(setting: string, value: string): Promise<void> {
  await cluster.query({ text: `alter database ${name} set ${setting} to ${quoted(value)}` });
}

/** A list keeps its comma outside of the quotes. */
function quoted(value: string): string {
  return value
    .split(', ')
    .map((part) => `'${part}'`)
    .join(', ');
}
