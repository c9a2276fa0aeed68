/** No index contains the status of an order, and still every overdue order is lapsed. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Order } from '../../../src/domain/orders/order.ts';
import { createServices } from '../../../src/process/create-services.ts';
import { insertOrders } from '../../../src/store/orders/insert-orders.ts';
import { saveOrderSummaries } from '../../../src/store/orders/orders.ts';
import {
  findReachedAt,
  findWindowEnd,
  listOverdueOrders,
  saveReachedAt,
  scanForOverdueOrders,
} from '../../../src/store/orders/overdue-orders.ts';
import { lapseOverdue } from '../../../src/use-cases/orders/lapse-overdue.ts';
import { onOneServer } from '../../support/citus-cluster.ts';
import { storedOrder } from '../../support/stored-orders.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { testMasterKeyHex } from '../../support/test-service.ts';

const { database } = await createTestDatabase();
const hourMs = 3_600_000;
const now = new Date('2026-11-15T10:00:00.123Z');
const services = createServices({
  database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  clock: () => now,
});

beforeEach(async () => {
  for (const table of ['orders', 'history', 'sweep_cursors']) {
    await database.query({ text: `truncate ${table}` });
  }
});

test('overdue open orders behind the cursor are listed, oldest first', async () => {
  const [before, second, first, , closed] = await insert(-5, -1, -2, 1, -1);
  await close(closed);
  const found = await listOverdueOrders(database, hours(-3), now, 10);
  assert.deepEqual(found.map(idOf), [first, second].map(idOf));
  assert.deepEqual(found[0]?.lapsesAt, first?.lapsesAt);
  assert.deepEqual(await findReachedAt(database), before?.lapsesAt);
});

test('a scan finds every overdue order, page by page, and starts over after the end', async () => {
  await saveReachedAt(database, now);
  const orders = await insert(-5, 1, -4, -3, 1, -2, -1);
  const overdue = orders.filter(({ lapsesAt }) => lapsesAt < now).map(idOf);
  for (const round of [1, 2]) {
    const met: string[] = [];
    for (let piece = 0; piece < 4; piece += 1) {
      met.push(...(await scanForOverdueOrders(database, now, 2)).map(idOf));
    }
    assert.deepEqual(met.toSorted(), overdue.toSorted(), `round ${round}`);
  }
});

test('a sweep lapses all overdue orders, even a thousand with the same time, and moves the cursor', async () => {
  await insert(...Array.from({ length: 1_000 }, () => -1), -2, 1);
  assert.equal(await lapseAll(), 0);
  assert.deepEqual(await countByStatus(), { lapsed: 1_001, new: 1 });
  assert.deepEqual(await findReachedAt(database), now);
});

test('an order inserted behind the cursor is lapsed too', async () => {
  await saveReachedAt(database, now);
  await insert(-24 * 30, -1);
  await lapseAll();
  assert.deepEqual(await countByStatus(), { lapsed: 2 });
});

test('days without a sweep are caught up, and a sweep whose time is over leaves the rest to the next', async () => {
  await insert(...Array.from({ length: 60 }, (_, hour) => -hour - 1));
  await saveReachedAt(database, hours(-70));
  // Moves the scan past all orders, so that only the cursor by time can find them.
  const skipScan = () => database.query({ text: `update sweep_cursors set account_id = 'b'` });
  await skipScan();
  const checks = Array.from({ length: 21 }, () => 'time is left');
  assert.equal(await lapseOverdue(services, () => checks.shift() === undefined), 40);
  assert.deepEqual(await countByStatus(), { lapsed: 20, new: 40 });
  assert.deepEqual(await findReachedAt(database), hours(-40));
  await skipScan();
  assert.equal(await lapseAll(), 0);
  assert.deepEqual(await findReachedAt(database), now);
  assert.deepEqual(await countByStatus(), { lapsed: 60 });
});

test('a window ends at an order, so that no statement reads more than some thousands', async () => {
  await insert(-3, -2, -2, -1);
  assert.deepEqual(await findWindowEnd(database, hours(-3), 1), hours(-2));
  assert.deepEqual(await findWindowEnd(database, hours(-2), 2), hours(-1));
  assert.equal(await findWindowEnd(database, hours(-2), 3), undefined);
});

test('a cursor that a fast clock moved into the future hides no order', async () => {
  await saveReachedAt(database, hours(24 * 365));
  await insert(-1);
  await lapseAll();
  assert.deepEqual(await findReachedAt(database), now);
});

test('an order that cannot be lapsed blocks no other, and the next sweep retries it', async () => {
  const [poison] = await insert(-0.75, -0.5, -0.25);
  await refusing(poison, async () => {
    await lapseAll();
    assert.deepEqual(await countByStatus(), { lapsed: 2, new: 1 });
    assert.deepEqual(await findReachedAt(database), poison?.lapsesAt);
  });
  await lapseAll();
  assert.deepEqual(await countByStatus(), { lapsed: 3 });
  assert.deepEqual(await findReachedAt(database), now);
});

test('an order that fails for an hour no longer holds the cursor back, and is lapsed once possible', async () => {
  const [poison] = await insert(-2);
  await refusing(poison, async () => {
    await lapseAll();
    assert.deepEqual(await findReachedAt(database), now);
  });
  await lapseAll();
  assert.deepEqual(await countByStatus(), { lapsed: 1 });
});

test('an order that failed for long does not prevent the retry of one that failed just now', async () => {
  const both = await insert(-2, -0.5);
  await refusing(both, async () => {
    await lapseAll();
    assert.deepEqual(await findReachedAt(database), both[1]?.lapsesAt);
  });
});

test('a whole page of failing orders with the same time does not hide later orders', async () => {
  const page = await insert(...Array.from({ length: 100 }, () => -2));
  await insertOrders(database, [orderOf('INV-after', hours(-1))]);
  // Moves the scan past all orders, so that only the cursor by time can find them.
  await saveReachedAt(database, hours(-2));
  await database.query({ text: `update sweep_cursors set account_id = 'b'` });
  await refusing(page, async () => {
    await lapseAll();
    assert.deepEqual(await countByStatus(), { lapsed: 1, new: 100 });
  });
});

test('a status change writes to no index', onOneServer, async () => {
  const [order] = await insert(1);
  const [before, after] = await database.transaction(async (tx) => {
    const count = async () => {
      const { rows } = await tx.query<{ updated: number; in_place: number }>({
        text: `select pg_stat_get_xact_tuples_updated('orders'::regclass) as updated,
                      pg_stat_get_xact_tuples_hot_updated('orders'::regclass) as in_place`,
      });
      return rows[0] ?? { updated: 0, in_place: 0 };
    };
    const known = await count();
    // Without flags: the few flagged orders are in an index.
    await close(order, tx, []);
    return [known, await count()] as const;
  });
  assert.equal(after.updated - before.updated, 1);
  assert.equal(after.in_place - before.in_place, 1);
});

test('overdue orders are read from an index, without sorting', onOneServer, async () => {
  const { rows } = await database.query<Record<string, string>>({
    text: `explain select account_id, order_id, lapses_at from orders
            where status in ('new', 'pending') and lapses_at >= now() and lapses_at <= now()
            order by lapses_at limit 100`,
  });
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  assert.match(plan, /Index Scan using orders_by_lapse/);
  assert.doesNotMatch(plan, /Sort/);
});

function hours(count: number): Date {
  return new Date(now.getTime() + count * hourMs);
}

/** Inserts open orders that lapse in the given numbers of hours. */
async function insert(...ends: readonly number[]): Promise<Order[]> {
  const orders = ends.map((end, index) => orderOf(`INV-${index}`, hours(end)));
  await insertOrders(database, orders);
  return orders;
}

async function close(
  order: Order | undefined,
  tx?: Parameters<typeof saveOrderSummaries>[0],
  flags: Order['flags'] = ['amount_mismatch'],
) {
  if (!order) throw new Error('there is no order to close');
  const save = (inside: Parameters<typeof saveOrderSummaries>[0]) =>
    saveOrderSummaries(inside, [
      {
        ...order,
        state: { status: 'completed', attempts: 1, flags, heldUntilMs: null },
        held: [],
        tally: null,
        eventSequence: 0,
      },
    ]);
  await (tx ? save(tx) : database.transaction(save));
}

/** Runs `work` while the database refuses history rows of these orders, so that they cannot be lapsed. */
async function refusing(
  orders: Order | undefined | readonly Order[],
  work: () => Promise<void>,
): Promise<void> {
  const ids = [orders].flat().map((order) => `'${order?.orderId}'`);
  await database.query({
    text: `alter table history add constraint refused check (order_id not in (${ids.join(', ')}))`,
  });
  try {
    await work();
  } finally {
    await database.query({ text: 'alter table history drop constraint refused' });
  }
}

async function countByStatus(): Promise<Record<string, number>> {
  const { rows } = await database.query<{ status: string; count: number }>({
    text: 'select status, count(*) as count from orders group by status order by status',
  });
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

function idOf(order: Pick<Order, 'orderId'> | undefined): string {
  return order?.orderId ?? '';
}

function orderOf(invoiceId: string, lapsesAt: Date): Order {
  return storedOrder({ invoiceId, lapsesAt, createdAt: new Date(lapsesAt.getTime() - hourMs) });
}

function lapseAll(): Promise<number> {
  return lapseOverdue(services, () => false);
}
