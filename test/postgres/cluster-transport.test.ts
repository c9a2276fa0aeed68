/** A statement for several accounts: one server gets it as it is, a cluster gets its parts, in their order. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pg from 'pg';
import { plainTransport } from '../../src/postgres/choose-transport.ts';
import { pipelinedTransport } from '../../src/postgres/pipeline.ts';
import { clusterTransport } from '../../src/postgres/pooled-transport.ts';
import type { Statement } from '../../src/postgres/statement.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { url } = await createTestDatabase();
const pool = new pg.Pool({ connectionString: url });
after(() => pool.end());
await pool.query('create table sent (id serial, account text not null check (account <> $$x$$))');

const insert = (account: string): Statement => ({
  text: 'insert into sent (account) values ($1) returning account',
  values: [account],
});
const together = (...accounts: string[]): Statement => ({
  ...insert('together'),
  perAccount: () => accounts.map(insert),
});

for (const [name, inner] of [
  ['pipelined', pipelinedTransport],
  ['plain', plainTransport],
] as const) {
  const cluster = clusterTransport(inner);
  const ways = {
    alone: (client: pg.PoolClient) => (statement: Statement) =>
      cluster.sendAlone(client, statement),
    separate: (client: pg.PoolClient) => cluster.openSeparate(client),
    'in a transaction': (client: pg.PoolClient) => cluster.openPipeline(client, () => undefined),
  };
  for (const [way, open] of Object.entries(ways)) {
    test(`${name}, ${way}: the parts are sent in order, and their rows are one result`, async () => {
      await pool.query('truncate sent');
      const client = await pool.connect();
      try {
        const { rows, rowCount } = await open(client)(together('b', 'a', 'c'));
        assert.deepEqual(
          rows.map(({ account }) => account),
          ['b', 'a', 'c'],
        );
        assert.equal(rowCount, 3);
        const stored = await pool.query('select account from sent order by id');
        assert.deepEqual(
          stored.rows.map(({ account }) => account),
          ['b', 'a', 'c'],
        );
        await assert.rejects(open(client)(together('d', 'x')), /sent_account_check/);
      } finally {
        client.release(true);
      }
    });
  }

  test(`${name}: without a cluster the statement is sent as it is`, async () => {
    await pool.query('truncate sent');
    const client = await pool.connect();
    try {
      const { rows } = await inner.sendAlone(client, together('a', 'b'));
      assert.deepEqual(
        rows.map(({ account }) => account),
        ['together'],
      );
    } finally {
      client.release(true);
    }
  });
}
