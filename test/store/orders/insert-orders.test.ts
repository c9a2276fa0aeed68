import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../../../src/domain/orders/order.ts';
import { createBatches } from '../../../src/store/orders/batches.ts';
import { insertOrders } from '../../../src/store/orders/insert-orders.ts';
import { findOrder } from '../../../src/store/orders/orders.ts';
import { storedOrder } from '../../support/stored-orders.ts';
import { createTestDatabase } from '../../support/test-database.ts';

const { database } = await createTestDatabase();
const { insertOrder } = createBatches(database);

test('all orders of a batch are stored unchanged', async () => {
  const orders = ['A-1', 'A-2', 'A-3'].map((invoiceId) => orderOf(invoiceId));
  assert.deepEqual(await insertOrders(database, orders), [true, true, true]);
  for (const order of orders) {
    const found = await findOrder(database, order.accountId, order.orderId);
    assert.deepEqual(found, { ...order, eventSequence: 0 });
  }
});

test('an invoice that is twice in a batch, or was stored before, has one order', async () => {
  await insertOrders(database, [orderOf('B-1')]);
  const outcomes = await insertOrders(database, [orderOf('B-1'), orderOf('B-2'), orderOf('B-2')]);
  assert.equal(outcomes[0], false);
  assert.deepEqual(outcomes.slice(1).toSorted(), [false, true]);
});

test('an order that the database refuses fails alone, and the others of its batch are inserted', async () => {
  const good = orderOf('C-2');
  const bad = { ...good, amounts: { ...good.amounts, total: -1 } };
  const outcomes = await Promise.allSettled([
    insertOrder(orderOf('C-1')),
    insertOrder(bad),
    insertOrder(orderOf('C-3')),
  ]);
  assert.deepEqual(
    outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value.isNew : outcome.status,
    ),
    [true, 'rejected', true],
  );
});

test('batches that share invoices in different orders do not deadlock', async () => {
  const invoices = Array.from({ length: 40 }, (_, index) => `D-${index}`);
  const batches = [invoices, invoices.toReversed(), invoices, invoices.toReversed()];
  const outcomes = await Promise.all(
    batches.map((names) => insertOrders(database, names.map(orderOf))),
  );
  assert.equal(outcomes.flat().filter(Boolean).length, invoices.length);
});

function orderOf(invoiceId: string): Order {
  return storedOrder({
    invoiceId,
    conversion: { rate: '83.25', original: { currency: 'USD', beforeTax: 1, tax: 1, total: 2 } },
    userId: 'user_0123456789abcdef',
    details: { description: 'Tea "with" é and \\ and {}', customAttributes: [['a', 'b']] },
    createdAt: new Date('2026-11-15T10:00:00.123Z'),
  });
}
