import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});
const body = { order_id: order.order_id, description: 'changed' };
const names = [
  ['POST', '/api/v3/update-order'],
  ['PUT', '/api/v3/update-order'],
  ['PATCH', '/api/v3/update-order'],
  ['PATCH', '/api/v3/order'],
] as const;

test('without a bearer token nothing is updated, on any path of the call', async () => {
  const before = await dumpTables(service.database);
  for (const [method, path] of names) {
    const reply = await service.call(path, { method, body });
    assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    const refreshed = await service.call(path, { method, body, token: order.refresh_token });
    assertRefused(refreshed, 'INVALID_TOKEN', 'refresh-token');
    assertRefused(await service.call(path, { method, body, token: 'x.y.z' }), 'INVALID_TOKEN');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('an order token updates its order for twenty minutes and no longer', async () => {
  service.advanceSeconds(20 * 60 + 1);
  const reply = await service.call('/api/v3/update-order', { body, token: order.token });
  assertRefused(reply, 'TOKEN_EXPIRED');
});
