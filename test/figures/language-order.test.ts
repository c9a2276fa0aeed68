/** A database that sorts text by a language: figures, lists and searches are the same, and read indexes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomBase62 } from '../../src/domain/ids.ts';
import {
  type Database,
  openDatabase,
  type Queryable,
  type Statement,
} from '../../src/postgres/database.ts';
import { findFilteredOrders } from '../../src/store/orders/filtered-orders.ts';
import { findIdsByConsumers, findIdsByInvoiceStart } from '../../src/store/orders/order-search.ts';
import { countSlot } from '../../src/store/reports/figures.ts';
import { findTextOrder } from '../../src/store/text-order.ts';
import { migrate } from '../../src/store/upkeep/migrate.ts';
import { listOrders } from '../../src/use-cases/orders/list-orders.ts';
import { walkFigures } from '../../src/use-cases/reports/count-figures.ts';
import { expectFigures, makeOrder, readFigures } from '../support/figure-orders.ts';
import { clusterAddress, openCluster } from '../support/test-database.ts';

const accountId = 'acc_0123456789abcdef';
const startMs = Date.UTC(2026, 0, 1);
const now = new Date(startMs + 86_400_000);

test('orders are sorted by time although the database sorts text by a language', async () => {
  const cluster = openCluster();
  const name = `test_${randomBase62(12).toLowerCase()}`;
  await cluster.query({
    text: `create database ${name} template template0 locale_provider icu icu_locale 'en-US'`,
  });
  const database = openDatabase({ ...clusterAddress(), database: name });
  try {
    await migrate(database);
    assert.equal(await findTextOrder(database), 'language');
    await database.query({
      text: `insert into accounts (account_id, name, optional_order_details, encrypted_payloads, signature_version, created_at, payment_modes)
             values ($1, 'Language', false, false, 'v3', now(), '{}')`,
      values: [accountId],
    });
    const orders = [];
    // The last letter of the time is a capital one in one order, and a small one in the next.
    for (const seconds of [5, 15, 25, 35, 45, 55, 65, 4_000, 40_000]) {
      const createdAt = new Date(startMs + seconds * 1_000);
      orders.push(await makeOrder(database, { accountId, createdAt, invoiceId: `B-${seconds}` }));
    }
    const needs = { database, clock: () => now };
    const { orders: listed } = await listOrders(needs, accountId, {
      filter: {},
      limit: 50,
    });
    const ids = orders.map(({ orderId }) => orderId);
    assert.deepEqual(
      listed.map(({ orderId }) => orderId),
      ids.toReversed(),
    );
    await walkFigures({ database }, () => false);
    const expected = orders.map((order) => ({ order, status: 'new', transactions: [] }) as const);
    assert.deepEqual(await readFigures(database, accountId), expectFigures(expected));
    const found = await findIdsByInvoiceStart(database, 'language', accountId, 'B-4', 10);
    assert.deepEqual(found, [ids[7], ids[8], ids[4]]);
    await checkPlans(database);
  } finally {
    await database.close();
    await cluster.query({ text: `drop database ${name} with (force)` });
    await cluster.close();
  }
});

async function checkPlans(database: Queryable): Promise<void> {
  const slot = { accountId, startsAt: new Date(startMs) };
  const range = { filter: {}, before: 'o_x', limit: 50, lookedAtMax: 100, now };
  const plans: [index: string, ask: (to: Database) => Promise<unknown>][] = [
    ['orders_by_time', (to) => findFilteredOrders(to, 'language', accountId, range)],
    ['orders_by_time', (to) => countSlot(to, 'language', slot)],
    ['orders_of_consumer', (to) => findIdsByConsumers(to, accountId, ['usr_1', 'usr_2'], 10)],
    ['orders_by_invoice', (to) => findIdsByInvoiceStart(to, 'language', accountId, 'B', 10)],
  ];
  for (const [index, ask] of plans) {
    let sent: Statement | undefined;
    const query = async (statement: Statement) => {
      sent = statement;
      return { rows: [] };
    };
    const pipelined = (work: (to: object) => unknown) => work({ query });
    await ask({ query, pipelined } as unknown as Database);
    const { text, values = [] } = sent ?? assert.fail();
    const { rows } = await database.query<{ 'QUERY PLAN': string }>({
      text: `explain (costs off) ${text}`,
      values,
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, new RegExp(`${index}\\b`), plan);
  }
}
