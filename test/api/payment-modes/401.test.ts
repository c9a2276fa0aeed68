import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});
const path = '/api/v3/payment-modes';
const body = { order_id: order.order_id };

test('without a valid token nothing is listed', async () => {
  const reply = await service.call(path, { body });
  assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  assertRefused(await service.call(path, { body, token: 'x.y.z' }), 'INVALID_TOKEN');
  const refreshed = await service.call(path, { body, token: order.refresh_token });
  assertRefused(refreshed, 'INVALID_TOKEN', 'refresh-token');
});

/** Last in this file: it moves the clock. */
test('an order token lists the modes for twenty minutes and no longer', async () => {
  assert.equal((await service.call(path, { body, token: order.token })).status, 200);
  service.advanceSeconds(20 * 60 + 1);
  assertRefused(await service.call(path, { body, token: order.token }), 'TOKEN_EXPIRED');
});
