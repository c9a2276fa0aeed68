/** The lists of the command line read the newest rows from an index, so their cost does not grow with the tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstOrderIdAt, newDeliveryId, newOrderId } from '../../src/domain/ids.ts';
import type { Database, Queryable, Statement } from '../../src/postgres/database.ts';
import {
  type DeliveryFilter,
  findFilteredDeliveries,
} from '../../src/store/inbox/filtered-deliveries.ts';
import {
  listHighestKeys,
  listNewestDeliveries,
  listNewestOfOrder,
  listNewestOrders,
  listNewestTransactions,
  newestDeliveries,
  newestOrders,
  newestTransactions,
} from '../../src/store/inbox/newest.ts';
import { listRecentHistory } from '../../src/store/orders/history.ts';
import { insertOrders } from '../../src/store/orders/insert-orders.ts';
import { onOneServer } from '../support/citus-cluster.ts';
import { storedOrder } from '../support/stored-orders.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const accountId = 'acc_0123456789abcdef';
const everything = { before: undefined, from: undefined, limit: 100 };
const range = { before: 'y', from: 'b', limit: 100 };

const lists: ReadonlyArray<
  readonly [name: string, index: string, keys: number, list: (to: Database) => Promise<unknown>]
> = [
  ['orders', 'orders_pkey', 1, (to) => listNewestOrders(to, accountId, everything)],
  ['a page of orders', 'orders_pkey', 3, (to) => listNewestOrders(to, accountId, range)],
  [
    'transactions',
    'transactions_pkey',
    1,
    (to) => listNewestTransactions(to, accountId, { ...everything, orderId: undefined }),
  ],
  [
    'a page of transactions',
    'transactions_pkey',
    3,
    (to) => listNewestTransactions(to, accountId, { ...range, orderId: undefined }),
  ],
  [
    'transactions of an order',
    'transactions_pkey',
    2,
    (to) => listNewestTransactions(to, accountId, { ...everything, orderId: 'o_1' }),
  ],
  [
    'a page of deliveries',
    'deliveries_pkey',
    3,
    (to) => listNewestDeliveries(to, accountId, { ...range, state: undefined }),
  ],
  [
    'a page of finished deliveries',
    'deliveries_pkey',
    3,
    (to) => listNewestDeliveries(to, accountId, { ...range, state: 'processed' }),
  ],
  ...(['received', 'parked', 'dead', 'needs_review'] as const).map(
    (state) =>
      [
        `a page of ${state} deliveries`,
        'deliveries_by_state',
        4,
        (to: Queryable) => listNewestDeliveries(to, accountId, { ...range, state }),
      ] as const,
  ),
  [
    'the newest order of each account',
    'orders_pkey',
    3,
    (to) => listHighestKeys(to, newestOrders(range)),
  ],
  [
    'the newest transaction of each account',
    'transactions_pkey',
    3,
    (to) => listHighestKeys(to, newestTransactions({ ...range, orderId: undefined })),
  ],
  [
    'the newest delivery of each account',
    'deliveries_pkey',
    3,
    (to) => listHighestKeys(to, newestDeliveries({ ...range, state: undefined })),
  ],
  [
    'the newest parked delivery of each account',
    'deliveries_by_state',
    4,
    (to) => listHighestKeys(to, newestDeliveries({ ...range, state: 'parked' })),
  ],
  [
    'the history of an order',
    'history_pkey',
    2,
    (to) => listRecentHistory(to, { accountId, orderId: 'o_1' }, 100),
  ],
];

for (const [name, index, keys, list] of lists) {
  test(
    `${name}: the rows come from ${index}, in its order and without a sort`,
    onOneServer,
    async () => {
      const plan = await explain(list);
      assert.match(plan, new RegExp(`Index (Only )?Scan Backward using ${index} `));
      assert.doesNotMatch(plan, /Sort|Filter/);
      const [, conditions = ''] = /Index Cond: (.*)/.exec(plan) ?? [];
      assert.equal(conditions.split(' AND ').length, keys, conditions);
    },
  );
}

const before = newDeliveryId(accountId, new Date());
const filters: ReadonlyArray<readonly [filter: DeliveryFilter, index: string, keys: number]> = [
  [{}, 'deliveries_pkey', 2],
  [{ state: 'processed' }, 'deliveries_pkey', 2],
  [{ provider: 'any' }, 'deliveries_pkey', 2],
  [{ provider: 'any', state: 'expired' }, 'deliveries_pkey', 2],
  [{ state: 'parked' }, 'deliveries_by_state', 3],
  [{ state: 'dead', provider: 'any' }, 'deliveries_by_state', 3],
];
for (const [filter, index, keys] of filters) {
  test(
    `the inbox with ${JSON.stringify(filter)} reads ${index} from the newest on`,
    onOneServer,
    async () => {
      const page = { filter, before, limit: 50, lookedAtMax: 250 };
      const plan = await explain((to) => findFilteredDeliveries(to, accountId, page));
      assert.match(plan, new RegExp(`Index (Only )?Scan Backward using ${index} `));
      const [, conditions = ''] = /Index Cond: (.*)/.exec(plan) ?? [];
      assert.equal(conditions.split(' AND ').length, keys, conditions);
      assert.doesNotMatch(plan, /Filter: .*state/);
    },
  );
}

test(
  'the deliveries of an order are found by the order, and only those are sorted',
  onOneServer,
  async () => {
    const plan = await explain((to) => listNewestOfOrder(to, accountId, 'o_1', 100));
    assert.match(plan, /Index Scan using deliveries_of_order /);
    assert.match(plan, /Index Cond: .*account_id.*order_id/);
  },
);

test('orders are listed newest first, from a time on and behind another one', async () => {
  const times = [0, 1, 61, 62, 3_844, 238_328, 90_000_000].map(
    (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000),
  );
  const orders = times.map((createdAt, at) =>
    storedOrder({ accountId, invoiceId: `N-${at}`, createdAt, orderId: newOrderId(createdAt) }),
  );
  await database.transaction((tx) => insertOrders(tx, orders));
  const ids = async (changes: Partial<typeof everything> | { before?: string; from?: string }) =>
    (await listNewestOrders(database, accountId, { ...everything, ...changes })).map(
      ({ invoiceId }) => invoiceId,
    );
  assert.deepEqual(await ids({}), ['N-6', 'N-5', 'N-4', 'N-3', 'N-2', 'N-1', 'N-0']);
  const from = firstOrderIdAt(times[3] ?? assert.fail());
  assert.deepEqual(await ids({ from }), ['N-6', 'N-5', 'N-4', 'N-3']);
  const before = orders[5]?.orderId ?? assert.fail();
  assert.deepEqual(await ids({ from, before }), ['N-4', 'N-3']);
});

/** The plan of the one statement that is sent. A table without rows would be scanned, so that is switched off. */
/** The plan of the last statement that it sends. */
async function explain(list: (to: Database) => Promise<unknown>): Promise<string> {
  let sent: Statement | undefined;
  const query = async (statement: Statement) => {
    sent = statement;
    // What is read for each account needs one.
    return { rows: statement.text.endsWith('from accounts') ? [{ accountId }] : [] };
  };
  const pipelined = (work: (to: object) => unknown) => work({ query });
  await list({ query, pipelined } as unknown as Database);
  const { text, values = [] } = sent ?? assert.fail();
  return database.transaction(async (tx) => {
    for (const setting of ['enable_seqscan', 'enable_bitmapscan']) {
      await tx.query({ text: `set local ${setting} = off` });
    }
    const { rows } = await tx.query<{ 'QUERY PLAN': string }>({
      text: `explain (costs off) ${text}`,
      values,
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}
