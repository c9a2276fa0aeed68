/** Many rows in one statement: arrays on one server, a list of values on a cluster. Contract 10.4. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { defineRows } from '../../src/postgres/binary-rows.ts';
import { plainTransport } from '../../src/postgres/choose-transport.ts';
import { insertRows } from '../../src/postgres/insert-rows.ts';
import { clusterTransport } from '../../src/postgres/pooled-transport.ts';
import type { Statement } from '../../src/postgres/statement.ts';
import { clusterAddress } from '../support/test-database.ts';

type Entry = { readonly accountId: string; readonly id: string; readonly amount: number };

const rows = defineRows<Entry>(
  {},
  {
    account_id: ['text', ({ accountId }) => accountId],
    id: ['text', ({ id }) => id],
    amount: ['bigint', ({ amount }) => amount],
  },
);
const pool = new pg.Pool(clusterAddress());

const insertOf = (entries: readonly Entry[]) =>
  insertRows({
    name: 'insert-sold',
    into: 'sold',
    rows,
    entries,
    key: ({ accountId, id }) => [accountId, id],
    end: 'on conflict (account_id, id) do nothing returning id',
    concurrentInserts: ['sold_pkey'],
  });
const entries = ['b 2', 'a 3', 'b 1', 'a 10', 'b 1'].map((text, amount) => {
  const [accountId = '', id = ''] = text.split(' ');
  return { accountId, id, amount };
});

for (const [where, transport, client] of [
  ['one server', plainTransport, await openTable()],
  ['a cluster', clusterTransport(plainTransport), await openTable()],
] as const) {
  for (const [way, send] of [
    ['alone', (statement: Statement) => transport.sendAlone(client, statement)],
    ['apart', (statement: Statement) => transport.openSeparate(client)(statement)],
    ['in a pipeline', (statement: Statement) => transport.openPipeline(client, none)(statement)],
  ] as const) {
    test(`on ${where}, sent ${way}: rows are inserted in the order of their keys, each once`, async () => {
      await client.query('truncate sold');
      const { rowCount } = await send(insertOf(entries));
      assert.equal(rowCount, 4);
      assert.equal((await send(insertOf(entries.slice(0, 1)))).rowCount, 0, 'it is there already');
      const stored = await client.query('select account_id, id from sold order by place');
      assert.deepEqual(
        stored.rows.map(({ account_id, id }) => `${account_id} ${id}`),
        ['a 10', 'a 3', 'b 1', 'b 2'],
      );
    });
  }
}

test('a cluster gets a list of values, prepared only for one row', () => {
  const { onCluster } = insertOf(entries);
  assert.match(
    onCluster?.()?.text ?? '',
    /^insert into sold \(.+\) values \(\$1::text, .+\) on conflict/,
  );
  assert.equal(onCluster?.()?.name, undefined);
  assert.equal(insertOf(entries.slice(0, 1)).onCluster?.()?.name, 'insert-sold');
});

test('more values than a statement can have are sent as arrays', () => {
  const many = Array.from({ length: 22_000 }, (_, amount) => ({
    accountId: 'a',
    id: String(amount),
    amount,
  }));
  assert.equal(insertOf(many).onCluster?.(), undefined);
});

/** On a connection of its own, because a prepared statement has one text per connection. */
async function openTable(): Promise<pg.PoolClient> {
  const client = await pool.connect();
  after(() => client.release(true));
  await client.query(`create temporary table sold (account_id text, id text, amount bigint,
                                                   place integer generated always as identity,
                                                   primary key (account_id, id))`);
  return client;
}

function none(): undefined {
  return undefined;
}
