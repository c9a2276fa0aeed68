import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckout, startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const calls: string[] = [];
const { service, simulator, createOrder, createPaid, initiate, enquire, assertSound } =
  await startJourney({ beforeAnswer: async ({ id }) => void calls.push(id) });

for (const mode of ['upi', 'credit_card'] as const) {
  test(`twenty concurrent starts of a payment by ${mode} make twenty payments, here and at the provider`, async () => {
    calls.length = 0;
    const orderId = await createOrder();
    const replies = await Promise.all(Array.from({ length: 20 }, () => initiate(orderId, mode)));

    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    const ids = replies.map(({ body }) => body.transaction_id);
    const urls = replies.map(({ body }) => body.next[0].url);
    for (const distinct of [ids, urls, calls]) assert.equal(new Set(distinct).size, 20);
    const seen = (await enquire({ order_id: orderId })).body;
    assert.deepEqual(
      seen.transaction.map((entry: Record<string, unknown>) => entry.svc_transaction_id).sort(),
      ids.sort(),
    );

    // One of them is paid, and only that one is shown as paid.
    const [paid = ''] = ids;
    const url = urls[replies.findIndex(({ body }) => body.transaction_id === paid)];
    await simulator.pay(await findCheckout(url));
    await simulator.settled();
    const after = (await enquire({ order_id: orderId })).body;
    assert.equal(after.order.status, 'completed');
    const succeeded = after.transaction.filter(
      (entry: Record<string, unknown>) => entry.payment_status === 'succeeded',
    );
    assert.deepEqual(
      succeeded.map((entry: Record<string, unknown>) => entry.svc_transaction_id),
      [paid],
    );
    await assertSound();
  });
}

test('a completed order refuses twenty concurrent starts', async () => {
  const { orderId } = await createPaid();
  calls.length = 0;
  const before = await dumpTables(service.database);
  const replies = await Promise.all(Array.from({ length: 20 }, () => initiate(orderId)));
  for (const reply of replies) assertRefused(reply, 'ORDER_COMPLETED');
  assert.deepEqual(await dumpTables(service.database), before);
  assert.deepEqual(calls, []);
});

test('no payment starts once the order is paid, however close the two come', async () => {
  const orderId = await createOrder();
  const first = (await initiate(orderId)).body;
  const checkout = await findCheckout(first.next[0].url);
  const [replies] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => initiate(orderId))),
    simulator.pay(checkout),
  ]);
  await simulator.settled();
  const started = replies.filter(({ status }) => status === 200);
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    assertRefused(reply, 'ORDER_COMPLETED');
  }
  const { transaction, order } = (await enquire({ order_id: orderId })).body;
  assert.equal(order.status, 'completed');
  assert.equal(transaction.length, 1 + started.length);
  assertRefused(await initiate(orderId), 'ORDER_COMPLETED');
  await assertSound();
});
