/** A pooler between the service and its database. The settings of a server with unusual defaults show whose apply. Contract 15.2. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/postgres/database.ts';
import { noPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { clusterAddress, createTestDatabase, openCluster } from '../support/test-database.ts';

const { url } = await createTestDatabase();
const name = new URL(url.replace('@/', '@host/')).pathname.slice(1);
const cluster = openCluster();
after(() => cluster.close());
await cluster.query({
  text: `alter database ${name} set default_transaction_isolation to serializable`,
});

const onlyPlain = { checkPipelining: () => Promise.reject(new Error('not here')) };
const ways: readonly (readonly [string, DatabaseOptions])[] = [
  ['pipelined', {}],
  ['one by one', onlyPlain],
];
const poolers = [
  ['a pooler that announces another process', startMasquerade, false],
  ['PgBouncer in transaction mode', () => bounce({ max_prepared_statements: 200 }), noPgBouncer],
  [
    'PgBouncer in session mode',
    () => bounce({ pool_mode: 'session', default_pool_size: 20 }),
    noPgBouncer,
  ],
] as const;

for (const [pooler, start, skip] of poolers) {
  for (const [way, options] of ways) {
    test(`${pooler}, statements ${way}: every transaction has our settings`, { skip }, async () => {
      const own = await openThrough(start, options);
      const text = `select current_setting('transaction_isolation') as isolation,
                           current_setting('enable_seqscan') as scans,
                           current_setting('statement_timeout') as timeout, $1::integer as value`;
      const expected = { isolation: 'read committed', scans: 'off', timeout: '5s' };
      const ask = (value: number) => ({ name: 'show-settings', text, values: [value] });
      const alone = await Promise.all([1, 2, 3, 4, 5, 6].map((value) => own.query(ask(value))));
      const within = await own.transaction((tx) => tx.query(ask(7)));
      const separate = await own.pipelined((connection) =>
        Promise.all([8, 9].map((value) => connection.query(ask(value)))),
      );
      const rows = [...alone, within, ...separate].flatMap((result) => result.rows);
      assert.deepEqual(
        rows,
        rows.map((_row, index) => ({ ...expected, value: index + 1 })),
      );
    });

    test(`${pooler}, statements ${way}: a failed one leaves nothing and harms no other`, {
      skip,
    }, async () => {
      const own = await openThrough(start, { ...options, connectionsMax: 1 });
      await own.query({ text: 'create table if not exists entries (id integer primary key)' });
      await own.query({ text: 'delete from entries' });
      const insert = (id: number) => ({
        name: 'insert-entry',
        text: 'insert into entries (id) values ($1)',
        values: [id],
      });
      const outcomes = await own.pipelined((connection) =>
        Promise.allSettled([1, 1, 2].map((id) => connection.query(insert(id)))),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      await assert.rejects(own.query(insert(2)), { code: '23505' });
      const failed = own.transaction(async (tx) => {
        await tx.query(insert(3));
        await tx.query(insert(1));
      });
      await assert.rejects(failed, { code: '23505' });
      const { rows } = await own.query({ text: 'select id from entries order by id' });
      assert.deepEqual(rows, [{ id: 1 }, { id: 2 }]);
    });
  }
}

test('a pooler that loses prepared statements is refused with one sentence', {
  skip: noPgBouncer,
}, async () => {
  const own = await openThrough(() => bounce({ max_prepared_statements: 0 }));
  await assert.rejects(own.query({ text: 'select 1' }), {
    name: 'StartError',
    message: /^The pooler of DATABASE_URL loses prepared statements: [^\n]+\.$/,
  });
});

async function openThrough(
  start: () => Promise<{ readonly url: string }>,
  options: DatabaseOptions = {},
): Promise<Database> {
  const own = openDatabase({ connectionString: (await start()).url }, options);
  after(() => own.close());
  return own;
}

async function bounce(settings: Readonly<Record<string, string | number>>) {
  return { url: (await startPgBouncer(settings)).urlOf(url) };
}

/** Announces another process id than that of the server, as poolers do. */
async function startMasquerade() {
  const { host, port, user } = clusterAddress();
  const listener = createServer((client: Socket) => {
    const server = connect(join(host, `.s.PGSQL.${port}`));
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => client.write(withOtherPid(chunk)));
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    for (const socket of [client, server]) socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  after(() => listener.close());
  const { port: ownPort } = listener.address() as { port: number };
  return { url: `postgres://${user}@127.0.0.1:${ownPort}/${name}` };
}

/** The message is 'K', its length, the process id and a key. */
function withOtherPid(chunk: Buffer): Buffer {
  const at = chunk.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
  if (at >= 0) chunk.writeInt32BE(chunk.readInt32BE(at + 5) + 1, at + 5);
  return chunk;
}
