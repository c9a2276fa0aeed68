import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const created = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});
const path = `/api/v3/order?order_id=${created.body.order_id}`;

test('without a bearer token no order is shown, whether it exists or not', async () => {
  for (const target of [path, '/api/v3/order?order_id=o_0000000000000000', '/api/v3/order']) {
    const reply = await service.call(target);
    assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  }
});

test('a refresh token is not accepted as a bearer token', async () => {
  const reply = await service.call(path, { token: created.body.refresh_token });
  assertRefused(reply, 'INVALID_TOKEN', 'refresh-token');
});

/** Last in this file: it moves the clock. */
test('an order token opens its order for twenty minutes and no longer', async () => {
  service.advanceSeconds(20 * 60 - 30);
  assert.equal((await service.call(path, { token: created.body.token })).status, 200);
  service.advanceSeconds(31);
  assertRefused(await service.call(path, { token: created.body.token }), 'TOKEN_EXPIRED');
});
