import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';
import { assertInvariants, type CreatedOrder, openShop } from '../webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;

test('amounts never change after an attempt, even when both arrive concurrently', async () => {
  const orders = await Promise.all(Array.from({ length: 20 }, () => shop.createOrder()));
  await Promise.all(
    orders.map(async (order, index) => {
      const calls = [
        () => update(order, { total_amount: 200 }),
        () => attempt(order),
        () => update(order, { total_amount: 300 }),
      ];
      // Each of the three is first in turn.
      const turned = [...calls.slice(index % 3), ...calls.slice(0, index % 3)];
      const replies = await Promise.all(turned.map((call) => call()));
      for (const reply of replies.filter(({ status }) => status !== 200)) {
        assertRefused(reply, 'ORDER_CONFLICT', 'payment was attempted');
      }
    }),
  );
  for (const order of orders) {
    const history = await shop.listHistory(order);
    const attempted = history.findIndex(({ transactionId }) => transactionId !== null);
    const repriced = history.findLastIndex(({ changes }) =>
      changes.some(({ field }) => field === 'amounts'),
    );
    assert.ok(attempted >= 0);
    assert.ok(repriced < attempted, JSON.stringify(history));
  }
  await assertInvariants(shop);
});

test('fifty concurrent updates of different fields are all stored, each with a row of history', async () => {
  const order = await shop.createOrder();
  const fields = [
    ['description', 'a'],
    ['callback_url', 'https://shop.example/a'],
    ['callback_mode', 'b'],
    ['ip_address', '203.0.113.1'],
    ['referrer_platform', 'c'],
  ] as const;
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const [name, value] = fields[index % fields.length] ?? [];
      return update(order, { [name ?? '']: value });
    }),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  const changed = (await shop.listHistory(order)).flatMap(({ changes }) => changes);
  assert.deepEqual(changed.map(({ field }) => field).sort(), [
    'callbackMode',
    'callbackUrl',
    'description',
    'ipAddress',
    'referrerPlatform',
  ]);
});

function update({ order_id }: CreatedOrder, fields: Record<string, unknown>): Promise<Reply> {
  const body = { order_id, ...fields };
  return service.call('/api/v3/update-order', { token: account.token, body });
}

function attempt({ order_id }: CreatedOrder): Promise<Reply> {
  const payment = partnerPayment({ status: 'failed', notes: { svc_order_id: order_id } });
  return shop.sendPartner(partnerEvent('payment.failed', { payment }));
}
