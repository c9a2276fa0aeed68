import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../src/domain/errors.ts';
import { type Database, openDatabase, type Queryable } from '../../src/postgres/database.ts';
import { databaseLimits } from '../../src/postgres/limits.ts';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { endBackends } from '../support/end-backends.ts';
import { clusterAddress, connectToCluster, createTestDatabase } from '../support/test-database.ts';

const { database, url } = await createTestDatabase();
await database.query({
  text: 'create table entries (id integer not null, value integer not null, primary key (id))',
});
beforeEach(() => database.query({ text: 'delete from entries' }));
const absent = `127.0.0.1:${await findFreePort()}`;
const mute = `127.0.0.1:${await listenAndSayNothing()}`;
const uncaught: unknown[] = [];
process.on('uncaughtExceptionMonitor', (error) => uncaught.push(error));

test('statements sent after a transaction has failed have no effect', async () => {
  const late = Promise.withResolvers<unknown>();
  await assert.rejects(
    database.transaction(async (tx) => {
      await insertEntry(tx, 1, 1);
      // One of several concurrent parts, which continues after another part failed.
      setImmediate(() => insertEntry(tx, 2, 2).then(late.resolve, late.resolve));
      throw new Error('failed in our own code');
    }),
    /failed in our own code/,
  );
  assert.ok((await late.promise) instanceof Error);
  assert.deepEqual(await readEntries(), []);
});

test('the writes of a transaction are committed when it returns', async () => {
  const returned = await database.transaction(async (tx) => {
    await insertEntry(tx, 1, 10);
    assert.deepEqual(await readEntries(), [], 'nothing shows before the commit');
    return 'done';
  });
  assert.equal(returned, 'done');
  assert.deepEqual(await readEntries(), [{ id: 1, value: 10 }]);
});

test('a transaction that throws is rolled back and passes its error on, after one try', async () => {
  const reason = new Error('no');
  let tries = 0;
  const failed = database.transaction(async (tx) => {
    tries += 1;
    await insertEntry(tx, 1, 10);
    throw reason;
  });
  await assert.rejects(failed, (error) => error === reason);
  assert.equal(tries, 1);
  assert.deepEqual(await readEntries(), []);
});

test('a refused statement rolls its transaction back, and the connection stays usable', async () => {
  const failed = database.transaction(async (tx) => {
    await insertEntry(tx, 1, 10);
    await insertEntry(tx, 1, 11);
  });
  await assert.rejects(failed, { code: '23505' });
  assert.deepEqual(await readEntries(), []);
});

test('writes sent together with the commit are committed when the transaction returns', async () => {
  await database.transaction(async (tx) => {
    tx.commitWith(insertEntry(tx, 1, 10));
    tx.commitWith(insertEntry(tx, 2, 20));
  });
  assert.deepEqual(await readEntries(), [
    { id: 1, value: 10 },
    { id: 2, value: 20 },
  ]);
});

test('a write sent with the commit that fails rolls everything back, and its own error is thrown', async () => {
  await insertEntry(database, 2, 20);
  const failed = database.transaction(async (tx) => {
    await insertEntry(tx, 1, 10);
    tx.commitWith(insertEntry(tx, 2, 21));
    tx.commitWith(insertEntry(tx, 3, 30));
  });
  await assert.rejects(failed, { code: '23505' });
  assert.deepEqual(await readEntries(), [{ id: 2, value: 20 }]);
});

test('statements skipped after a failed one report the error of that one, in whatever order they are awaited', async () => {
  await insertEntry(database, 2, 20);
  const later = async (writes: Promise<unknown>) => {
    await writes.catch(async (error) => {
      await Promise.resolve();
      throw error;
    });
  };
  const failed = database.transaction(async (tx) => {
    tx.commitWith(Promise.all([later(insertEntry(tx, 2, 21)), insertEntry(tx, 3, 30)]));
  });
  await assert.rejects(failed, { code: '23505' });
});

test('a statement skipped after a failure is prepared when it is sent again', async () => {
  await insertEntry(database, 1, 10);
  const values = [2, 20];
  const statement = { name: 'first-behind-a-failure', text: 'insert into entries values ($1, $2)' };
  const failed = database.transaction((tx) =>
    Promise.all([insertEntry(tx, 1, 11), tx.query({ ...statement, values })]),
  );
  await assert.rejects(failed, { code: '23505' });
  for (const id of [2, 3])
    await database.transaction((tx) => tx.query({ ...statement, values: [id, 10 * id] }));
  assert.deepEqual(
    await readEntries(),
    [1, 2, 3].map((id) => ({ id, value: 10 * id })),
  );
});

test('a statement that the driver cannot send rolls everything back, including the commit', async () => {
  const unsendable = {
    toPostgres: () => {
      throw new Error('no such value');
    },
  };
  const failed = database.transaction(async (tx) => {
    tx.commitWith(insertEntry(tx, 1, 10));
    tx.commitWith(tx.query({ text: 'insert into entries values (2, $1)', values: [unsendable] }));
    tx.commitWith(insertEntry(tx, 3, 30));
  });
  await assert.rejects(failed, /no such value/);
  assert.deepEqual(await readEntries(), []);
  await insertEntry(database, 4, 40);
});

test('a write for the commit that fails before it is sent rolls everything back', async () => {
  const failed = database.transaction(async (tx) => {
    const unsent = async () => {
      throw new Error('never sent');
    };
    tx.commitWith(Promise.all([insertEntry(tx, 1, 10), unsent(), insertEntry(tx, 3, 30)]));
  });
  await assert.rejects(failed, /never sent/);
  assert.deepEqual(await readEntries(), []);
});

test('a single statement resolves only once it is committed', async () => {
  await database.query({
    text: `create function refuse_late() returns trigger language plpgsql as
             'begin raise exception ''too late'' using errcode = ''23514''; end';
           create constraint trigger late after insert on entries deferrable initially deferred
             for each row when (new.value = 666) execute function refuse_late()`,
  });
  const late = { name: 'late', text: 'insert into entries values ($1, $2)', values: [1, 666] };
  await assert.rejects(database.query(late), /too late/);
  const pipelined = database.pipelined((connection) =>
    Promise.all([connection.query(late), readEntries(connection)]),
  );
  await assert.rejects(pipelined, /too late/);
  assert.deepEqual(await readEntries(), []);
});

test('a statement text that begins a transaction and fails leaves the connection outside of it', async () => {
  const own = openOwn({ connectionString: url });
  for (let round = 0; round < 3; round += 1) {
    await assert.rejects(own.query({ text: 'begin; select 1 / 0; commit' }), { code: '22012' });
    assert.deepEqual(await readEntries(own), []);
  }
});

test('a statement whose result columns changed is repeated on a new connection, by itself and in a transaction', async () => {
  const own = openOwn({ connectionString: url });
  const statement = { name: 'read-all', text: 'select * from shapes' };
  const readEverywhere = () =>
    Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2 === 0 ? own.query(statement) : own.transaction((tx) => tx.query(statement)),
      ),
    );
  await own.query({ text: 'create table shapes as select 1 as id' });
  await readEverywhere();
  await own.query({ text: 'alter table shapes add column more integer' });
  for (const { rows } of await readEverywhere()) assert.deepEqual(rows, [{ id: 1, more: null }]);
});

test('a result that cannot be parsed fails its own statement only', async () => {
  const tooLarge = { name: 'too-large', text: 'select 9007199254740993::bigint as value' };
  const fine = { name: 'fine', text: 'select 7::bigint as value, null as nothing' };
  const [unread, read] = await database.transaction((tx) =>
    Promise.allSettled([tx.query(tooLarge), tx.query(fine)]),
  );
  assert.match(String(unread.status === 'rejected' && unread.reason), /beyond exact numbers/);
  assert.deepEqual(read.status === 'fulfilled' && read.value.rows, [{ value: 7, nothing: null }]);
});

test('a repeated statement gives the same result, with rows, without rows, or with only a count', async () => {
  for (const id of [1, 2, 3]) {
    const added = await database.query({
      name: 'add-entry',
      text: 'insert into entries values ($1, $2)',
      values: [id, 10 * id],
    });
    assert.deepEqual(added, { command: 'INSERT', rowCount: 1, rows: [] });
    for (const [asked, rows] of [
      [id, [{ id, value: 10 * id }]],
      [99, []],
    ] as const) {
      const found = await database.query({
        name: 'find-entry',
        text: 'select id, value from entries where id = $1',
        values: [asked],
      });
      assert.deepEqual(found, { command: 'SELECT', rowCount: rows.length, rows });
    }
  }
});

test('a transaction is retried when a concurrent one inserted the same key first', async () => {
  let runs = 0;
  await database.transaction(async (tx) => {
    runs += 1;
    if (runs === 1) await insertEntry(database, 2, 20);
    const text = 'insert into entries values ($1, $2)';
    const values = [runs === 1 ? 2 : 3, 30];
    tx.commitWith(tx.query({ text, values, concurrentInserts: ['entries_pkey'] }));
    tx.commitWith(insertEntry(tx, 4, 40));
  });
  assert.equal(runs, 2);
  const expected = [2, 3, 4].map((id) => ({ id, value: id * 10 }));
  assert.deepEqual(await readEntries(), expected);
});

test('a failed statement that nobody awaited does not count as a commit', async () => {
  const failed = database.transaction(async (tx) => {
    await insertEntry(tx, 1, 10);
    await insertEntry(tx, 1, 11).catch(() => {});
  });
  await assert.rejects(failed, /was ignored/);
  assert.deepEqual(await readEntries(), []);
});

test('a query sent right after a commit sees the committed rows', async () => {
  const found = await database.transaction(
    async (tx) => {
      tx.commitWith(insertEntry(tx, 1, 10));
      return 'done';
    },
    async (result, connection) => [result, await readEntries(connection)],
  );
  assert.deepEqual(found, ['done', [{ id: 1, value: 10 }]]);
});

test('pipelined statements commit one by one, and each sees those before it', async () => {
  const [, seen] = await database.pipelined((connection) =>
    Promise.all([insertEntry(connection, 1, 10), readEntries(connection)]),
  );
  assert.deepEqual(seen, [{ id: 1, value: 10 }]);
  const failed = database.pipelined((connection) =>
    Promise.all([
      insertEntry(connection, 2, 20),
      insertEntry(connection, 1, 11),
      insertEntry(connection, 3, 30),
    ]),
  );
  await assert.rejects(failed, { code: '23505' });
  assert.deepEqual(
    (await readEntries()).map((entry) => (entry as { id: number }).id),
    [1, 2, 3],
  );
});

test('a serialization failure is retried until both transactions have committed', async () => {
  const bothHaveRead = createMeeting(2);
  let tries = 0;
  const addOne = (id: number) =>
    database.transaction(async (tx) => {
      tries += 1;
      await tx.query({ text: 'set transaction isolation level serializable' });
      const { rows } = await tx.query<{ count: number }>({ text: 'select count(*) from entries' });
      const count = rows[0]?.count ?? -1;
      await bothHaveRead();
      await insertEntry(tx, id, count);
      return count;
    });
  const counts = await Promise.all([addOne(1), addOne(2)]);
  assert.deepEqual(counts.sort(), [0, 1], 'as if one had come after the other');
  assert.equal(tries, 3);
});

test('a deadlock is retried until both transactions have committed', async () => {
  await insertEntry(database, 1, 0);
  await insertEntry(database, 2, 0);
  const bothHoldOne = createMeeting(2);
  const oneIsThrough = Promise.withResolvers<void>();
  let tries = 0;
  const raiseBoth = async (first: number, second: number) => {
    await database.transaction(async (tx) => {
      tries += 1;
      // A third transaction could run into another deadlock with the one that continues.
      if (tries > 2) await oneIsThrough.promise;
      await tx.query({ text: `set local deadlock_timeout = '50ms'` });
      await raiseEntry(tx, first);
      await bothHoldOne();
      await raiseEntry(tx, second);
    });
    oneIsThrough.resolve();
  };
  await Promise.all([raiseBoth(1, 2), raiseBoth(2, 1)]);
  assert.equal(tries, 3);
  assert.deepEqual(await readEntries(), [
    { id: 1, value: 2 },
    { id: 2, value: 2 },
  ]);
});

test('a transaction whose connection is killed before the commit is retried and takes effect once', async () => {
  let tries = 0;
  await database.transaction(async (tx) => {
    tries += 1;
    await insertEntry(tx, 1, tries);
    if (tries === 1) await endBackend(tx);
    await raiseEntry(tx, 1);
  });
  assert.equal(tries, 2);
  assert.deepEqual(await readEntries(), [{ id: 1, value: 3 }]);
});

test('a connection killed while its transaction is idle does no harm', async () => {
  let tries = 0;
  await database.transaction(async (tx) => {
    tries += 1;
    await insertEntry(tx, 1, tries);
    if (tries > 1) return;
    await waitUntilGone(await endBackend(tx));
  });
  assert.equal(tries, 2);
  assert.deepEqual(await readEntries(), [{ id: 1, value: 2 }]);
});

test('a transaction whose connection is lost at the commit is not retried: it may have been committed', async () => {
  const cut = await openThroughProxy('\0commit\0');
  let tries = 0;
  const failed = cut.transaction(async (tx) => {
    tries += 1;
    await insertEntry(tx, tries, 10);
  });
  await assert.rejects(failed, unavailable);
  assert.equal(tries, 1);
  assert.deepEqual(await readEntries(), [{ id: 1, value: 10 }], 'here it was saved');
});

test('writes sent with a commit whose result was lost are not retried', async () => {
  const cut = await openThroughProxy('\0commit\0');
  let tries = 0;
  const failed = cut.transaction(async (tx) => {
    tries += 1;
    tx.commitWith(insertEntry(tx, tries, 10));
  });
  await assert.rejects(failed, unavailable);
  assert.equal(tries, 1, 'the commit was on its way, so nobody knows');
});

test('pipelined statements whose results were lost are retried', async () => {
  const cut = await openThroughProxy('insert into entries');
  const rowCounts = await cut.pipelined((connection) =>
    Promise.all(
      [1, 2].map(async (id) => {
        const text = 'insert into entries (id, value) values ($1, $2) on conflict (id) do nothing';
        return (await connection.query({ text, values: [id, 10] })).rowCount;
      }),
    ),
  );
  assert.equal(rowCounts[0], 0, 'the second try found the row of the first');
  assert.equal((await readEntries()).length, 2);
});

test('an insert with a conflict guard whose result was lost is retried and leaves one row', async () => {
  const cut = await openThroughProxy('insert into entries');
  const { rowCount } = await cut.query({
    text: 'insert into entries (id, value) values ($1, $2) on conflict (id) do nothing',
    values: [1, 10],
  });
  assert.equal(rowCount, 0, 'the second try found the row of the first');
  assert.deepEqual(await readEntries(), [{ id: 1, value: 10 }]);
});

test('the next statements succeed although all idle connections were killed', async () => {
  const victim = openOwn({ connectionString: url });
  const ask = () => victim.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
  const before = await Promise.all(Array.from({ length: 8 }, ask));
  const pids = before.flatMap(({ rows }) => rows.map(({ pid }) => pid));
  await endBackends(database, 'pid = any ($1::int[])', [pids]);
  const answers = await Promise.all(Array.from({ length: 8 }, ask));
  assert.equal(answers.length, 8);
});

test('a statement that takes too long answers SERVICE_UNAVAILABLE', async () => {
  const { rows } = await database.query<{ ms: number }>({
    text: `select setting::int as ms from pg_settings
            where name in ('statement_timeout', 'idle_in_transaction_session_timeout')`,
  });
  assert.deepEqual(
    rows.map(({ ms }) => ms),
    [databaseLimits.statementMsMax, databaseLimits.statementMsMax],
  );
  const failed = database.transaction(async (tx) => {
    await tx.query({ text: `set local statement_timeout = '20ms'` });
    await tx.query({ text: 'select pg_sleep(10)' });
  });
  await assert.rejects(failed, unavailable);
});

test('a statement without a timely response answers SERVICE_UNAVAILABLE, after one try', async () => {
  let tries = 0;
  const failed = database.transaction(async (tx) => {
    tries += 1;
    await insertEntry(tx, 1, 10);
    await tx.query({ text: 'select pg_sleep(1)', query_timeout: 50 });
  });
  await assert.rejects(failed, unavailable);
  assert.equal(tries, 1);
  assert.deepEqual(await readEntries(), []);
});

test('a connection that stops responding also closes the idle ones, which no longer respond either', async () => {
  const victim = openOwn({ connectionString: url });
  const ask = async () => {
    const text = 'select pg_backend_pid() as pid, pg_sleep(0.05)';
    return (await victim.query<{ pid: number }>({ text })).rows[0]?.pid;
  };
  const before = await Promise.all([ask(), ask(), ask()]);
  assert.equal(new Set(before).size, 3);
  await assert.rejects(
    victim.query({ text: 'select pg_sleep(1)', query_timeout: 50 }),
    unavailable,
  );
  const after = await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual(
    after.filter((pid) => before.includes(pid)),
    [],
  );
});

test('a transaction that the server ended because it was idle answers SERVICE_UNAVAILABLE', async () => {
  const failed = database.transaction(async (tx) => {
    await tx.query({ text: `set local idle_in_transaction_session_timeout = '20ms'` });
    await waitUntilGone(await findBackend(tx));
    await insertEntry(tx, 1, 10);
  });
  await assert.rejects(failed, unavailable);
  assert.deepEqual(await readEntries(), []);
});

test('no broken connection became an uncaught exception, which would end the service', () => {
  assert.deepEqual(uncaught, []);
});

const downs = [
  { what: 'nothing listens', address: { connectionString: `postgres://u:p@${absent}/d` } },
  { what: 'its socket is not there', address: { ...clusterAddress(), host: '/nowhere' } },
  { what: 'it never answers', address: { connectionString: `postgres://u:p@${mute}/d` } },
];
for (const { what, address } of downs) {
  test(`a database of which ${what} answers SERVICE_UNAVAILABLE`, async () => {
    const down = openOwn(address);
    const startedAt = performance.now();
    await Promise.all([
      assert.rejects(down.query({ text: 'select 1' }), unavailable),
      assert.rejects(
        down.transaction(async () => {}),
        unavailable,
      ),
    ]);
    assert.ok(performance.now() - startedAt < databaseLimits.databaseConnectMsMax + 2_000);
  });
}

function unavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE';
}

async function insertEntry(queryable: Queryable, id: number, value: number): Promise<void> {
  await queryable.query({
    text: 'insert into entries (id, value) values ($1, $2)',
    values: [id, value],
  });
}

async function raiseEntry(queryable: Queryable, id: number): Promise<void> {
  await queryable.query({
    text: 'update entries set value = value + 1 where id = $1',
    values: [id],
  });
}

async function readEntries(from: Queryable = database): Promise<unknown[]> {
  const { rows } = await from.query({ text: 'select id, value from entries order by id' });
  return rows;
}

async function findBackend(tx: Queryable): Promise<number> {
  const { rows } = await tx.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
  return rows[0]?.pid ?? assert.fail('there is no connection');
}

/** Kills the connection of the transaction from another one. */
async function endBackend(tx: Queryable): Promise<number> {
  const pid = await findBackend(tx);
  await endBackends(database, 'pid = $1::integer', [pid]);
  return pid;
}

/** Waits until the client has noticed the closed connection, while no statement is running on it. */
async function waitUntilGone(pid: number): Promise<void> {
  await waitUntil('the connection is gone', async () => {
    const { rowCount } = await database.query({
      text: 'select 1 from pg_stat_activity where pid = $1',
      values: [pid],
    });
    return rowCount === 0;
  });
  // The answer above may be read before what the closed connection has sent.
  await nextTurn();
}

/** The first `count` callers wait for each other; later ones pass. */
function createMeeting(count: number): () => Promise<void> {
  let arrived = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return async () => {
    arrived += 1;
    if (arrived === count) open();
    await opened;
  };
}

/** A proxy to the database that breaks the connection once: after the statement was sent, before its result is back. */
async function openThroughProxy(words: string): Promise<Database> {
  let isBroken = false;
  const proxy = createServer((client) => {
    const server = connectToCluster();
    let isHeard = false;
    client.on('data', (chunk) => {
      isHeard ||= !isBroken && chunk.includes(words);
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (!isHeard) {
        client.write(chunk);
        return;
      }
      isBroken = true;
      client.destroy();
    });
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    client.on('error', () => {});
    server.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  after(() => proxy.close());
  const { rows } = await database.query<{ name: string }>({
    text: 'select current_database() as name',
  });
  const { port: proxyPort } = proxy.address() as { port: number };
  return openOwn({
    ...clusterAddress(),
    host: '127.0.0.1',
    port: proxyPort,
    database: rows[0]?.name ?? '',
  });
}

function openOwn(address: Parameters<typeof openDatabase>[0]): Database {
  const own = openDatabase(address);
  after(() => own.close());
  return own;
}

async function listenAndSayNothing(): Promise<number> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return (server.address() as { port: number }).port;
}
