import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, shop } = await startJourney();
const { body: order } = await service.call('/api/v3/create-order', {
  token: shop.token,
  body: orderBody(),
});
const path = '/api/v3/initiate-payment';
const body = { order_id: order.order_id, payment_mode_code: 'credit_card' };

test('without a valid token no payment is started', async () => {
  const before = await dumpTables(service.database);
  const reply = await service.call(path, { body });
  assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  assertRefused(await service.call(path, { body, token: 'x.y.z' }), 'INVALID_TOKEN');
  const refreshed = await service.call(path, { body, token: order.refresh_token });
  assertRefused(refreshed, 'INVALID_TOKEN', 'refresh-token');
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('an order token starts payments for twenty minutes and no longer', async () => {
  assert.equal((await service.call(path, { body, token: order.token })).status, 200);
  service.advanceSeconds(20 * 60 + 1);
  const before = await dumpTables(service.database);
  assertRefused(await service.call(path, { body, token: order.token }), 'TOKEN_EXPIRED');
  assert.deepEqual(await dumpTables(service.database), before);
});
