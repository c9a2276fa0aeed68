import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';
import { assertInvariants, type CreatedOrder, captureOf, openShop } from '../webhooks/shop.ts';

const shop = await openShop();
const { service } = shop;

test('another consumer on a restricted order is refused, whoever calls, and nothing changes', async () => {
  const order = await shop.createOrder();
  const first = await resolve(order, { mobile_number: '9000000001' }, order.token);
  assert.equal(first.status, 200);
  const before = await dumpTables(service.database);
  for (const token of [undefined, first.body.token]) {
    for (const consumer of [
      { mobile_number: '9000000002' },
      { mobile_number: '9876543210', email: 'asha@example.com' },
      { mobile_number: '9000000001', country_code: '+1' },
    ]) {
      assertRefused(await resolve(order, consumer, token), 'ORDER_CONFLICT', 'another consumer');
    }
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a completed order accepts no consumer', async () => {
  const order = await shop.createOrder();
  await resolve(order, { mobile_number: '9000000001' });
  await shop.sendPartner(captureOf(order));
  await assertClosed(order, 'ORDER_COMPLETED');
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** Last in this file: it moves the clock. */
test('a lapsed order accepts no consumer', async () => {
  const order = await shop.createOrder();
  service.advanceSeconds(24 * 3600 - 60);
  assert.equal((await resolve(order, { mobile_number: '9000000001' })).status, 200);
  service.advanceSeconds(60);
  await assertClosed(order, 'ORDER_LAPSED');
});

/** Refused for the linked consumer too, and before the consumer is compared. */
async function assertClosed(
  order: CreatedOrder,
  code: 'ORDER_COMPLETED' | 'ORDER_LAPSED',
): Promise<void> {
  const before = await dumpTables(service.database);
  for (const mobile_number of ['9000000001', '9000000002']) {
    assertRefused(await resolve(order, { mobile_number }), code);
  }
  assert.deepEqual(await dumpTables(service.database), before);
}

async function resolve(
  { order_id }: CreatedOrder,
  consumer: Record<string, string | undefined>,
  token?: string,
): Promise<Reply> {
  return service.call('/api/v3/resolve-user', {
    token: token ?? (await shop.freshToken()),
    body: { order_id, ...consumer },
  });
}
