/** A driver that cannot pipeline: the service goes on with plain `pg`, and reports it once. */
import assert from 'node:assert/strict';
import { after, mock, test } from 'node:test';
import pg from 'pg';
import { type Database, openDatabase, type Queryable } from '../../src/postgres/database.ts';
import { partnerEvent, partnerPayment, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { startTestService } from '../support/test-service.ts';

const reports: Error[] = [];
const forced = {
  onFallback: (reason: Error) => void reports.push(reason),
  checkPipelining: async () => {
    throw new Error('forced');
  },
};
const { database, url } = await createTestDatabase(undefined, forced);
await database.query({
  text: 'create table entries (id integer not null, value integer not null, primary key (id))',
});

test('the fallback is reported once, with its reason, however many connections are opened', async () => {
  const own = openOwn(forced);
  reports.length = 0;
  await Promise.all(Array.from({ length: 20 }, (_entry, id) => insertGuarded(own, 100 + id)));
  assert.deepEqual(
    reports.map(({ message }) => message),
    ['forced'],
  );
  await own.query({ text: 'delete from entries' });
});

test('an order is created, paid by webhook and found by enquiry', async () => {
  const service = await startTestService({ databaseOptions: forced });
  const account = await service.createAccount();
  const call = (path: string, body: object) => service.call(path, { token: account.token, body });
  const created = await Promise.all(
    Array.from({ length: 20 }, (_entry, index) =>
      call('/api/v3/create-order', orderBody({ invoice_id: `PLAIN-${index}` })),
    ),
  );
  assert.deepEqual(new Set(created.map(({ status }) => status)), new Set([200]));
  const delivered = await Promise.all(
    created.map(({ body: { order_id } }) => {
      const payment = partnerPayment({ notes: { svc_order_id: order_id } });
      return sendPartner(service, account, partnerEvent('payment.captured', { payment }));
    }),
  );
  assert.deepEqual(new Set(delivered.map(({ body }) => body.status)), new Set(['processed']));
  for (const { body } of created) {
    const found = await call('/api/v3/transaction-enquiry', { order_id: body.order_id });
    assert.equal(found.body.order.status, 'completed');
    assert.equal(found.body.transaction.length, 1);
  }
});

test('a failing statement rolls the transaction back and reports its own error', async () => {
  const failed = database.transaction(async (tx) => {
    tx.commitWith(Promise.all([insert(tx, 1), insert(tx, 1), insert(tx, 2)]));
  });
  await assert.rejects(failed, { code: '23505' });
  assert.deepEqual(await listIds(), []);
});

test('a write that cannot be sent is not missing from a commit', async () => {
  const unsendable = {
    toPostgres: () => {
      throw new Error('no such value');
    },
  };
  const failed = database.transaction(async (tx) => {
    tx.commitWith(insert(tx, 1));
    tx.commitWith(tx.query({ text: 'insert into entries values (2, $1)', values: [unsendable] }));
    tx.commitWith(insert(tx, 3));
  });
  await assert.rejects(failed, /no such value/);
  assert.deepEqual(await listIds(), []);
});

test('a unique row that a concurrent transaction inserted first is retried', async () => {
  let runs = 0;
  await database.transaction(async (tx) => {
    runs += 1;
    if (runs === 1) await insert(database, 1);
    const text = 'insert into entries values ($1, 0)';
    tx.commitWith(tx.query({ text, values: [runs], concurrentInserts: ['entries_pkey'] }));
  });
  assert.deepEqual(await listIds(), [1, 2]);
  await database.query({ text: 'delete from entries' });
});

test('statements run in the order in which they are issued, and the last ones after the commit', async () => {
  const [, ids] = await database.pipelined((connection) =>
    Promise.all([insert(connection, 1), listIds(connection)]),
  );
  assert.deepEqual(ids, [1]);
  const seen = await database.transaction(
    async (tx) => tx.commitWith(insert(tx, 2)),
    (_result, connection) => listIds(connection),
  );
  assert.deepEqual(seen, [1, 2]);
  await database.query({ text: 'delete from entries' });
});

test('a driver that refuses custom queries is noticed', async () => {
  await withDriver(
    () => {
      throw new Error('custom queries are gone');
    },
    async () => assert.deepEqual(await reasonsOf(openOwn), ['custom queries are gone']),
  );
});

test('a driver that never answers custom queries is noticed', async () => {
  await withDriver(
    () => undefined,
    async () =>
      assert.deepEqual(await reasonsOf(openOwn), ['pipelined statements were not answered']),
  );
});

test('a driver that works is not reported', async () => {
  assert.deepEqual(await reasonsOf(openOwn), []);
});

/** Replaces what the driver does with queries of a class other than its own. */
async function withDriver(query: () => unknown, run: () => Promise<void>): Promise<void> {
  const original = pg.Client.prototype.query;
  const replaced = mock.method(
    pg.Client.prototype,
    'query',
    function (this: never, ...args: never[]) {
      const [config] = args as unknown[];
      return config instanceof pg.Query ? query() : Reflect.apply(original, this, args);
    },
  );
  try {
    await run();
  } finally {
    replaced.mock.restore();
  }
}

async function reasonsOf(open: typeof openOwn): Promise<string[]> {
  const reasons: string[] = [];
  const own = open({ onFallback: ({ message }) => reasons.push(message) });
  const { rows } = await own.query<{ value: number }>({ text: 'select $1::int', values: [7] });
  assert.deepEqual(rows, [{ int4: 7 }]);
  return reasons;
}

function openOwn(options: Parameters<typeof openDatabase>[1]): Database {
  const own = openDatabase({ connectionString: url }, options);
  after(() => own.close());
  return own;
}

async function insert(queryable: Queryable, id: number): Promise<void> {
  await queryable.query({ text: 'insert into entries values ($1, 0)', values: [id] });
}

async function insertGuarded(queryable: Queryable, id: number): Promise<void> {
  const text = 'insert into entries values ($1, 0) on conflict (id) do nothing';
  await queryable.query({ name: 'insert-guarded', text, values: [id] });
}

async function listIds(from: Queryable = database): Promise<number[]> {
  const { rows } = await from.query<{ id: number }>({ text: 'select id from entries order by id' });
  return rows.map(({ id }) => id);
}
