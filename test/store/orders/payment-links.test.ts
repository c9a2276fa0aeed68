/** Payment links are stored with their orders, one for each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newLinkId } from '../../../src/domain/ids.ts';
import { createBatches } from '../../../src/store/orders/batches.ts';
import {
  insertLinkedOrders as insertIn,
  insertLinkedOrdersAndLook,
  insertOrders,
  type LinkedOrder,
} from '../../../src/store/orders/insert-orders.ts';
import { findOrder, findOrderByInvoice } from '../../../src/store/orders/orders.ts';
import {
  findLink,
  findLinkedOrder,
  findLinkOfInvoice,
  insertLink,
} from '../../../src/store/orders/payment-links.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { onOneServer } from '../../support/citus-cluster.ts';
import { endBackends } from '../../support/end-backends.ts';
import { storedOrder } from '../../support/stored-orders.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database } = await createTestDatabase();
const createdAt = new Date('2026-11-15T10:00:00.123Z');

const insertLinkedOrders = (orders: readonly LinkedOrder[]) =>
  database.transaction((tx) => insertIn(tx, orders));

test('all orders of a batch are stored as without links, and each with its own link', async () => {
  const orders = ['A-1', 'A-2', 'A-3'].map(linkedOrder);
  assert.deepEqual(await insertLinkedOrders(orders), [true, true, true]);
  for (const { linkId, ...order } of orders) {
    const stored = { ...order, eventSequence: 0 };
    assert.deepEqual(await findOrder(database, order.accountId, order.orderId), stored);
    const link = { linkId, openedAt: null, cancelledAt: null };
    const found = { order: stored, link };
    assert.deepEqual(await findLinkedOrder(database, order.accountId, linkId), found);
    assert.deepEqual(await findLinkOfInvoice(database, order.accountId, order.invoiceId), found);
    assert.deepEqual(await findLink(database, order), link);
  }
  const { rows } = await database.query({
    text: 'select distinct created_at from payment_links',
  });
  assert.deepEqual(rows, [{ created_at: createdAt }]);
});

test('an invoice that is twice in a batch, or was stored before, gets neither an order nor a link', async () => {
  const plain = storedOrder({ invoiceId: 'B-1', createdAt });
  await insertOrders(database, [plain]);
  const [again, one, other] = ['B-1', 'B-2', 'B-2'].map(linkedOrder) as LinkedOrder[];
  const before = await countLinks();
  const outcomes = await insertLinkedOrders([again, one, other] as LinkedOrder[]);
  assert.equal(outcomes[0], false);
  assert.deepEqual(outcomes.slice(1).toSorted(), [false, true]);
  assert.equal(await countLinks(), before + 1);
  assert.equal(await findLink(database, plain), undefined);
  const stored = await findOrderByInvoice(database, plain.accountId, 'B-2');
  assert.ok(stored);
  const linkId = outcomes[1] ? one?.linkId : other?.linkId;
  assert.equal((await findLink(database, stored))?.linkId, linkId);
});

test('an order that the database refuses leaves no link, and the others of its batch are inserted', async () => {
  const { insertLinkedOrder } = createBatches(database);
  const bad = linkedOrder('C-2');
  const outcomes = await Promise.allSettled([
    insertLinkedOrder(linkedOrder('C-1')),
    insertLinkedOrder({ ...bad, amounts: { ...bad.amounts, total: -1 } }),
    insertLinkedOrder(linkedOrder('C-3')),
  ]);
  assert.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.isNew : outcome.status,
    ),
    [true, 'rejected', true],
  );
  assert.equal(await findLink(database, bad), undefined);
});

test(
  'a batch with links inserts its orders in the order of their invoices, so it cannot deadlock with another',
  onOneServer,
  async () => {
    let runs = 0;
    let batch: Promise<boolean[]> | undefined;
    await database.transaction(async (tx) => {
      runs += 1;
      await insertOrders(tx, [linkedOrder('D-1')]);
      batch ??= insertLinkedOrders(['D-2', 'D-1'].map(linkedOrder));
      await waitUntil('the batch waits for D-1', async () => {
        const { rows } = await database.query({
          text: `select 1 from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'`,
        });
        return rows.length > 0;
      });
      // With D-2 inserted by the batch, each would wait for the other.
      await tx.query({ text: `set local lock_timeout = '300ms'` });
      await insertOrders(tx, [linkedOrder('D-2')]);
    });
    assert.equal(runs, 1);
    assert.deepEqual(await batch, [false, false]);
  },
);

test(
  'a batch that is repeated because the connection was lost after its commit stores each link once',
  onOneServer,
  async () => {
    const order = linkedOrder('F-1');
    let inserted: ReturnType<typeof insertLinkedOrdersAndLook> | undefined;
    await database.transaction(async (tx) => {
      // The look for parked deliveries, which follows the commit, waits for this.
      await tx.query({ text: 'lock table delivery_references in access exclusive mode' });
      inserted = insertLinkedOrdersAndLook(database, [order]);
      const isWaiting = `datname = current_database() and wait_event_type = 'Lock'`;
      await waitUntil('the batch is committed and looks', async () => {
        return (await endBackends(database, isWaiting)) === 1;
      });
    });
    assert.deepEqual(await inserted, [{ isNew: false, parked: [] }]);
    assert.equal((await findLink(database, order))?.linkId, order.linkId);
  },
);

test('of fifty links that are added to one order at once, one stays', async () => {
  const order = storedOrder({ invoiceId: 'E-1', createdAt });
  await insertOrders(database, [order]);
  const links = Array.from({ length: 50 }, () => newLinkId(order.accountId));
  await Promise.all(links.map((linkId) => insertLink(database, { ...order, linkId })));
  const linkId = (await findLink(database, order))?.linkId;
  assert.ok(linkId !== undefined && links.includes(linkId));
  const found = await Promise.all(
    links.map((link) => findLinkedOrder(database, order.accountId, link)),
  );
  assert.equal(found.filter(Boolean).length, 1);
});

test('a link opens nothing in another account', async () => {
  const order = linkedOrder('F-1');
  await insertLinkedOrders([order]);
  assert.equal(await findLinkedOrder(database, 'acc_fedcba9876543210', order.linkId), undefined);
  assert.equal(
    await findLink(database, { ...order, accountId: 'acc_fedcba9876543210' }),
    undefined,
  );
});

function linkedOrder(invoiceId: string): LinkedOrder {
  const order = storedOrder({ invoiceId, createdAt });
  return { ...order, linkId: newLinkId(order.accountId) };
}

async function countLinks(): Promise<number> {
  const { rows } = await database.query({ text: 'select 1 from payment_links' });
  return rows.length;
}
