/**
 * The undocumented parts of `pg` and `pg-pool` that src/postgres/pg-internals.ts relies on, one test each. When an
 * upgrade of the driver fails here, pg-internals.ts is the file to change.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { after, test } from 'node:test';
import pg from 'pg';
import { driverMessages } from '../../src/postgres/pg-internals.ts';
import { clusterAddress } from '../support/test-database.ts';

type Message = readonly [kind: string, about?: unknown];
// biome-ignore lint/suspicious/noExplicitAny: these parts have no types
type Untyped = any;
const DriverQuery = pg.Query as unknown as new (
  text: string,
  values?: readonly unknown[],
) => object;

test('Query.submit writes through methods of its connection, with the Sync last', () => {
  const { connection, messages } = recordingConnection();
  assert.equal(queryOf('select $1::int', [1]).submit(connection), null);
  assert.deepEqual(kindsOf(messages), [
    'cork',
    'parse',
    'bind',
    'describe',
    'execute',
    'sync',
    'uncork',
  ]);
});

test('Query.submit takes an object that inherits from a connection and hides some methods', () => {
  const { connection, messages } = recordingConnection();
  const shadow = Object.assign(Object.create(connection), { sync: () => {}, describe: () => {} });
  queryOf('select $1::int', [1]).submit(shadow);
  assert.deepEqual(kindsOf(messages), ['cork', 'parse', 'bind', 'execute', 'uncork']);
});

test('Query.submit lists a named statement in submittedNamedStatements and parses it once', () => {
  const { connection, messages } = recordingConnection();
  const named = () => Object.assign(queryOf('select $1::int', [1]), { name: 'named' });
  named().submit(connection);
  assert.deepEqual(connection.submittedNamedStatements, { named: 'select $1::int' });
  named().submit(connection);
  assert.equal(kindsOf(messages).filter((kind) => kind === 'parse').length, 1);
  delete connection.submittedNamedStatements.named;
  named().submit(connection);
  assert.equal(kindsOf(messages).filter((kind) => kind === 'parse').length, 2);
});

test('Query.submit returns an error for a name that stands for another text', () => {
  const { connection } = recordingConnection();
  Object.assign(queryOf('select 1'), { name: 'taken' }).submit(connection);
  const refused = Object.assign(queryOf('select 2'), { name: 'taken' }).submit(connection);
  assert.match(String(refused), /must be unique/);
});

test('Query.submit calls handleError for a value that cannot be encoded, and does not throw', () => {
  const { connection, messages } = recordingConnection();
  const query = queryOf('select $1', ['no such value']);
  const failures: Error[] = [];
  query.handleError = (error: Error) => failures.push(error);
  assert.equal(query.submit(connection), null);
  assert.deepEqual(failures.map(String), ['Error: no such value']);
  assert.ok(!kindsOf(messages).includes('execute'));
});

test('Client.query accepts a subclass of Query in pipeline mode and calls these handlers', async () => {
  const client = await connect({ pipeline: true });
  const calls: Message[] = [];
  const done = Promise.withResolvers<void>();
  class Recorder extends DriverQuery {
    callback = () => done.resolve();
    handleRowDescription({ fields }: Untyped) {
      const [{ name, dataTypeID }] = fields;
      calls.push(['handleRowDescription', { name, dataTypeID }]);
    }
    handleDataRow({ fields }: Untyped) {
      calls.push(['handleDataRow', fields]);
    }
    handleCommandComplete({ text }: Untyped) {
      calls.push(['handleCommandComplete', text]);
    }
    handleReadyForQuery(connection: Untyped) {
      calls.push(['handleReadyForQuery', connection === client.connection]);
      this.callback();
    }
  }
  client.query(new Recorder('select $1::int as value', [7]));
  await done.promise;
  assert.deepEqual(calls, [
    ['handleRowDescription', { name: 'value', dataTypeID: 23 }],
    ['handleDataRow', ['7']],
    ['handleCommandComplete', 'SELECT 1'],
    ['handleReadyForQuery', true],
  ]);
});

test('an error of the server goes to handleError of the active query, with the connection', async () => {
  const client = await connect({ pipeline: true });
  const seen = Promise.withResolvers<unknown[]>();
  class Recorder extends DriverQuery {
    handleError(error: Untyped, connection: Untyped) {
      seen.resolve([error.code, connection === client.connection]);
    }
  }
  client.query(new Recorder('select 1 / $1::int', [0]));
  assert.deepEqual(await seen.promise, ['22012', true]);
});

test('ParseComplete is recorded under the name and the text of the active query', async () => {
  const client = await connect({ pipeline: true });
  await client.query({ name: 'recorded', text: 'select 1' });
  assert.equal(client.connection.parsedStatements.recorded, 'select 1');
  assert.deepEqual(client.connection.submittedNamedStatements, {});
});

test('without the pipeline option a query is sent after the answer to the one before, with it at once', async () => {
  for (const pipeline of [false, true]) {
    const client = await connect({ pipeline });
    const first = client.query('select pg_sleep(0.05)');
    const { bytesWritten } = client.connection.stream;
    const second = client.query('select 1');
    assert.equal(client.connection.stream.bytesWritten > bytesWritten, pipeline);
    await Promise.all([first, second]);
  }
});

test('query_timeout is read from the query object, and its end calls callback and handleError', async () => {
  const client = await connect({ pipeline: true });
  const calls: string[] = [];
  const failed = Promise.withResolvers<Error>();
  class Recorder extends DriverQuery {
    query_timeout = 20;
    callback = (error: Error) => calls.push(error.message);
    handleError(error: Error) {
      failed.resolve(error);
    }
  }
  client.query(new Recorder('select pg_sleep($1)', [1]));
  assert.equal((await failed.promise).message, driverMessages.readTimeout);
  assert.deepEqual(calls, [driverMessages.readTimeout]);
});

test('client.connection.stream is the socket: it can be corked and destroyed', async () => {
  const client = await connect();
  assert.ok(client.connection.stream instanceof Duplex);
  const failed = assert.rejects(client.query('select pg_sleep(1)'), (error: Error) =>
    error.message.startsWith(driverMessages.connectionLost),
  );
  client.connection.stream.destroy();
  await failed;
  await assert.rejects(client.query('select 1'), (error: Error) =>
    error.message.includes(driverMessages.notQueryable),
  );
});

test('pool.options.max is read each time a connection is needed', async () => {
  const pool = openPool({ max: 1 });
  const clients = [await pool.connect()];
  pool.options.max = 2;
  clients.push(await pool.connect());
  assert.equal(pool.totalCount, 2);
  for (const client of clients) client.release();
});

test('the pool gives its options to the Client class, the password not enumerable, and connects with a callback', async () => {
  const seen: unknown[] = [];
  class Recorder extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      seen.push(config?.password, Object.keys(config ?? {}).includes('password'));
      super(config);
    }
    override connect(callback?: unknown): never {
      seen.push(typeof callback);
      return super.connect(callback as never) as never;
    }
  }
  const pool = openPool({ Client: Recorder as never, password: 'not needed here' });
  (await pool.connect()).release();
  assert.deepEqual(seen, ['not needed here', false, 'function']);
});

test('the texts of errors without a code say that the database cannot be reached', async () => {
  const full = openPool({ max: 1, connectionTimeoutMillis: 2_000 });
  const client = await full.connect();
  await assert.rejects(full.connect(), driverMessages.unavailable);
  client.release();
  const ended = openPool({});
  await ended.end();
  await assert.rejects(ended.connect(), driverMessages.unavailable);
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  silent.unref();
  const { port } = silent.address() as { port: number };
  const mute = new pg.Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 20 });
  mute.on('error', () => {});
  await assert.rejects(mute.connect(), driverMessages.unavailable);
});

function queryOf(text: string, values?: readonly unknown[]): Untyped {
  return new DriverQuery(text, values);
}

/** Records the messages that a query writes; the value 'no such value' cannot be bound. */
function recordingConnection() {
  const messages: Message[] = [];
  const record = (kind: string) => (about?: unknown) => void messages.push([kind, about]);
  const names = ['parse', 'describe', 'execute', 'sync', 'flush', 'close', 'query'];
  const connection: Untyped = {
    ...Object.fromEntries(names.map((name) => [name, record(name)])),
    bind: (about: { readonly values?: readonly unknown[] }) => {
      if (about.values?.includes('no such value')) throw new Error('no such value');
      messages.push(['bind', about]);
    },
    stream: { cork: record('cork'), uncork: record('uncork') },
    parsedStatements: {},
    submittedNamedStatements: {},
  };
  return { connection, messages };
}

function kindsOf(messages: readonly Message[]): string[] {
  return messages.map(([kind]) => kind);
}

async function connect(options: Record<string, unknown> = {}): Promise<Untyped> {
  const client: Untyped = new pg.Client({ ...clusterAddress(), ...options });
  client.on('error', () => {});
  after(() => client.end());
  await client.connect();
  return client;
}

function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...clusterAddress(), ...options });
  pool.on('error', () => {});
  after(() => pool.ended || pool.end());
  return pool;
}
