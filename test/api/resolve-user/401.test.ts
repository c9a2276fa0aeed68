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
const body = { order_id: order.order_id, mobile_number: '9000000001' };

test('without a bearer token nobody is linked', async () => {
  const before = await dumpTables(service.database);
  const reply = await service.call('/api/v3/resolve-user', { body });
  assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  const refreshed = await service.call('/api/v3/resolve-user', {
    body,
    token: order.refresh_token,
  });
  assertRefused(refreshed, 'INVALID_TOKEN', 'refresh-token');
  assertRefused(await service.call('/api/v3/resolve-user', { body, token: 'x' }), 'INVALID_TOKEN');
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('an order token links for twenty minutes and no longer', async () => {
  service.advanceSeconds(20 * 60 + 1);
  const reply = await service.call('/api/v3/resolve-user', { body, token: order.token });
  assertRefused(reply, 'TOKEN_EXPIRED');
});
