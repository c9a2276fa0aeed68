/** Lists read the newest rows from an index, so their cost does not grow with the tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newDeliveryId, newOrderId, timeKeyOfDelivery } from '../../src/domain/ids.ts';
import type { OrderFilter } from '../../src/domain/orders/order-filter.ts';
import type { Database, Statement } from '../../src/postgres/database.ts';
import { findFilteredEvents } from '../../src/store/events/event-lists.ts';
import {
  type DeliveryFilter,
  findFilteredDeliveries,
  listNewestOfOrder,
} from '../../src/store/inbox/delivery-lists.ts';
import { findFilteredOrders } from '../../src/store/orders/filtered-orders.ts';
import { listRecentHistory } from '../../src/store/orders/history.ts';
import { insertOrders } from '../../src/store/orders/insert-orders.ts';
import {
  findFilteredTransactions,
  type TransactionFilter,
} from '../../src/store/payments/transaction-lists.ts';
import { listOrders } from '../../src/use-cases/orders/list-orders.ts';
import { onOneServer } from '../support/citus-cluster.ts';
import { storedOrder } from '../support/stored-orders.ts';
import { createTestDatabase } from '../support/test-database.ts';

const { database } = await createTestDatabase();
const accountId = 'acc_0123456789abcdef';
const range = { before: undefined, limit: 50, lookedAtMax: 250 };
const since = new Date();
const behindOrder = { ...range, before: newOrderId(since) };
const behindTransaction = { ...range, before: `${newOrderId(since)}-260101000001` };
const behindDelivery = { ...range, before: timeKeyOfDelivery(newDeliveryId(accountId, since)) };

const orders = (page: typeof range | typeof behindOrder, filter: OrderFilter) => (to: Database) =>
  findFilteredOrders(to, accountId, { ...page, filter, now: since });
const transactions =
  (page: typeof range | typeof behindTransaction, filter: Partial<TransactionFilter>) =>
  (to: Database) =>
    findFilteredTransactions(to, accountId, {
      ...page,
      filter: { orderId: undefined, status: undefined, orderedSince: undefined, ...filter },
    });
const deliveries = (filter: DeliveryFilter) => (to: Database) =>
  findFilteredDeliveries(to, accountId, { ...behindDelivery, filter });

const lists: ReadonlyArray<
  readonly [name: string, index: string, keys: number, list: (to: Database) => Promise<unknown>]
> = [
  ['orders', 'orders_pkey', 1, orders(range, {})],
  ['a page of orders', 'orders_pkey', 3, orders(behindOrder, { from: since })],
  ['a page of orders of a status', 'orders_pkey', 2, orders(behindOrder, { status: 'new' })],
  ['transactions', 'transactions_pkey', 1, transactions(range, {})],
  [
    'a page of transactions',
    'transactions_pkey',
    3,
    transactions(behindTransaction, { orderedSince: since, status: 'failed' }),
  ],
  ['transactions of an order', 'transactions_pkey', 2, transactions(range, { orderId: 'o_1' })],
  ['deliveries', 'deliveries_pkey', 2, deliveries({})],
  ['deliveries since a time', 'deliveries_pkey', 3, deliveries({ since })],
  ['processed deliveries', 'deliveries_pkey', 2, deliveries({ state: 'processed' })],
  ['deliveries of a provider', 'deliveries_pkey', 2, deliveries({ provider: 'any' })],
  [
    'expired deliveries of a provider',
    'deliveries_pkey',
    2,
    deliveries({ provider: 'any', state: 'expired' }),
  ],
  [
    'dead deliveries of a provider',
    'deliveries_by_state',
    3,
    deliveries({ state: 'dead', provider: 'any' }),
  ],
  ...(['received', 'parked', 'dead', 'needs_review'] as const).map(
    (state) =>
      [
        `a page of ${state} deliveries`,
        'deliveries_by_state',
        4,
        deliveries({ state, since }),
      ] as const,
  ),
  [
    'events since a time',
    'events_pkey',
    2,
    (to) => findFilteredEvents(to, accountId, { ...range, filter: { orderedSince: since } }),
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
      const scan = `Index (?:Only )?Scan Backward using ${index} .*\\n +Index Cond: (.*)(\\n +Filter)?`;
      const found = new RegExp(scan).exec(plan) ?? assert.fail(plan);
      const [, conditions = '', filter] = found;
      assert.equal(conditions.split(' AND ').length, keys, conditions);
      assert.equal(filter, undefined);
      // What a step has found may be sorted above its first limit.
      const limited = plan.slice(0, found.index).split('Limit').at(-1) ?? '';
      assert.doesNotMatch(limited, /Sort/);
    },
  );
}

test(
  'the deliveries of an order are found by the order, and only those are sorted',
  onOneServer,
  async () => {
    const plan = await explain((to) =>
      listNewestOfOrder(to, { accountId, orderId: 'o_1' }, { limit: 100 }),
    );
    assert.match(plan, /Index Scan using deliveries_of_order /);
    assert.match(plan, /Index Cond: .*account_id.*order_id/);
  },
);

test('orders are listed newest first, from a time on and behind another one', async () => {
  const times = [0, 1, 61, 62, 3_844, 238_328, 90_000_000].map(
    (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000),
  );
  const stored = times.map((createdAt, at) =>
    storedOrder({ accountId, invoiceId: `N-${at}`, createdAt, orderId: newOrderId(createdAt) }),
  );
  await database.transaction((tx) => insertOrders(tx, stored));
  const invoices = async (filter: OrderFilter, after?: string) => {
    const page = { filter, after, limit: 100 };
    const listed = await listOrders({ database, clock: () => since }, accountId, page);
    return listed.orders.map(({ invoiceId }) => invoiceId);
  };
  assert.deepEqual(await invoices({}), ['N-6', 'N-5', 'N-4', 'N-3', 'N-2', 'N-1', 'N-0']);
  const from = times[3] ?? assert.fail();
  assert.deepEqual(await invoices({ from }), ['N-6', 'N-5', 'N-4', 'N-3']);
  assert.deepEqual(await invoices({ from }, stored[5]?.orderId), ['N-4', 'N-3']);
});

test('pages over several accounts merge their orders by time, with and without a filter', async () => {
  const accounts = ['acc_AAAAAAAAAAAAAAAA', 'acc_BBBBBBBBBBBBBBBB', 'acc_CCCCCCCCCCCCCCCC'];
  // Most are of the first account, so that it is read in several steps beside the others.
  const stored = Array.from({ length: 400 }, (_, at) =>
    storedOrder({
      accountId: accounts[at % 10 < 8 ? 0 : at % 3] ?? assert.fail(),
      invoiceId: `M-${at}`,
      createdAt: new Date(Date.UTC(2026, 0, 1) + at),
    }),
  );
  await database.transaction((tx) => insertOrders(tx, stored));
  const rare = stored.filter((_, at) => at % 90 === 0);
  await database.query({
    text: `update orders set status = 'completed' where order_id = any($1::text[])`,
    values: [rare.map(({ orderId }) => orderId)],
  });
  const services = { database, clock: () => since };
  for (const [filter, wanted] of [
    [{}, stored],
    [{ status: 'completed' }, rare],
  ] as const) {
    for (const limit of [1, 7, 100]) {
      const invoices: string[] = [];
      let after: string | undefined;
      do {
        const page = await listOrders(services, accounts, { filter, after, limit });
        assert.ok(page.orders.length <= limit);
        invoices.push(...page.orders.map(({ invoiceId }) => invoiceId));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(invoices, wanted.map(({ invoiceId }) => invoiceId).toReversed());
    }
  }
});

test('a page ends when it has looked at enough rows, and the next one continues there', async () => {
  const accounts = ['acc_DDDDDDDDDDDDDDDD', 'acc_EEEEEEEEEEEEEEEE'];
  const stored = Array.from({ length: 300 }, (_, at) =>
    storedOrder({
      accountId: accounts[at % 2] ?? assert.fail(),
      invoiceId: `E-${at}`,
      createdAt: new Date(Date.UTC(2026, 0, 1) + at),
    }),
  );
  await database.transaction((tx) => insertOrders(tx, stored));
  const filter = { status: 'completed' } as const;
  const effort = { lookedAtMax: 50, msMax: Number.POSITIVE_INFINITY };
  let [pages, after] = [0, undefined as string | undefined];
  do {
    const query = { filter, after, limit: 10, effort };
    const page = await listOrders({ database, clock: () => since }, accounts, query);
    assert.deepEqual(page.orders, []);
    assert.ok(page.lookedAt <= 2 * 20 + 50 + 80, `${page.lookedAt}`);
    after = page.next;
    pages += 1;
  } while (after !== undefined);
  assert.ok(pages > 2 && pages < 10, `${pages} pages`);
});

/** The plan of the one statement that is sent. A table without rows would be scanned, so that is switched off. */
async function explain(list: (to: Database) => Promise<unknown>): Promise<string> {
  let sent: Statement | undefined;
  const query = async (statement: Statement) => {
    sent = statement;
    return { rows: [] };
  };
  await list({ query } as unknown as Database);
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
