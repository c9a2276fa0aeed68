import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnerEvent, partnerPayment } from '../../support/deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';
import { assertInvariants, type CreatedOrder, captureOf, openShop } from '../webhooks/shop.ts';

const shop = await openShop();
const { service } = shop;

/** Each is invalid in its own way; the closed order is reported first. */
const updates = [
  { description: 'changed' },
  {},
  { total_amount: 1 },
  { order_line_items: [{ title: 'Tea', rate: 1, quantity: 1 }] },
  { currency: 'USD' },
  { user: { mobile_number: 9000000001 } },
];

test('a completed order accepts no update', async () => {
  const order = await shop.createOrder();
  await shop.sendPartner(captureOf(order));
  await assertClosed(order, 'ORDER_COMPLETED');
});

test('an order that lapsed after failed attempts accepts no update', async () => {
  const order = await shop.createOrder();
  for (let attempt = 1; attempt <= 15; attempt += 1) await fail(order);
  await assertClosed(order, 'ORDER_LAPSED');
});

test('amounts and cart items cannot change after the first attempt', async () => {
  const order = await shop.createOrder();
  await fail(order);
  const before = await dumpTables(service.database);
  for (const fields of [
    { total_amount: 1 },
    { amount_before_tax: 100, tax: 18, total_amount: 118 },
    { total_amount: 'ten' },
    { order_line_items: [{ title: 'Tea', rate: 1, quantity: 1 }] },
  ]) {
    const reply = await update(order, { description: 'changed', ...fields });
    assertRefused(reply, 'ORDER_CONFLICT', 'payment was attempted');
  }
  const byOrder = await update(order, { total_amount: 1 }, order.token);
  assertRefused(byOrder, 'PERMISSION_DENIED', 'total_amount');
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a restricted order accepts no other consumer', async () => {
  const order = await shop.createOrder();
  const { order_id } = order;
  await service.call('/api/v3/resolve-user', {
    token: await shop.freshToken(),
    body: { order_id, mobile_number: 9876543210 },
  });
  const before = await dumpTables(service.database);
  const refreshed = await service.call('/api/v3/refresh-token', {
    body: { refresh_token: (order as unknown as Record<string, string>).refresh_token },
  });
  for (const token of [await shop.freshToken(), refreshed.body.token]) {
    for (const user of [{ mobile_number: '9000000001' }, { country_code: '+1' }]) {
      const reply = await update(order, { shipping_address: { city: 'Pune' }, user }, token);
      assertRefused(reply, 'ORDER_CONFLICT', 'another consumer');
    }
  }
  assert.deepEqual(await dumpTables(service.database), before);
  const same = { mobile_number: '09876543210', email: 'new@example.com' };
  assert.equal((await update(order, { user: same })).status, 200, 'the same number, written so');
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** Last in this file: it moves the clock. */
test('an order accepts updates until it lapses, to the second', async () => {
  const order = await shop.createOrder();
  service.advanceSeconds(24 * 3600 - 60);
  assert.equal((await update(order, { description: 'in time' })).status, 200);
  service.advanceSeconds(60);
  await assertClosed(order, 'ORDER_LAPSED');
});

async function assertClosed(
  order: CreatedOrder,
  code: 'ORDER_COMPLETED' | 'ORDER_LAPSED',
): Promise<void> {
  const before = await dumpTables(service.database);
  const { accountId } = shop.account;
  const orderToken = await service.services.tokens.issue({
    type: 'order',
    accountId,
    orderId: order.order_id,
  });
  const merchantToken = await shop.freshToken();
  for (const fields of updates) assertRefused(await update(order, fields, merchantToken), code);
  for (const fields of [{}, { user: { mobile_number: 9000000001 } }]) {
    assertRefused(await update(order, fields, orderToken.token), code);
  }
  assert.deepEqual(await dumpTables(service.database), before);
}

async function update(
  { order_id }: CreatedOrder,
  fields: Record<string, unknown>,
  token?: string,
): Promise<Reply> {
  return service.call('/api/v3/update-order', {
    token: token ?? (await shop.freshToken()),
    body: { order_id, ...fields },
  });
}

async function fail({ order_id }: CreatedOrder): Promise<void> {
  const payment = partnerPayment({ status: 'failed', notes: { svc_order_id: order_id } });
  await shop.sendPartner(partnerEvent('payment.failed', { payment }));
}
