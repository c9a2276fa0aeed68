import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { claimsOf } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});

test('a refresh token is exchanged for a new order token, with or without Authorization', async () => {
  for (const token of [undefined, account.token, order.token, 'not.a.token']) {
    const reply = await service.call('/api/v3/refresh-token', {
      token,
      body: { refresh_token: order.refresh_token },
    });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(Object.keys(reply.body).sort(), ['expires_at', 'token', 'token_expiration']);
    const { sub, token_type, order_id, iat, exp } = claimsOf(reply.body.token);
    assert.deepEqual(
      { sub, token_type, order_id },
      { sub: account.accountId, token_type: 'order', order_id: order.order_id },
    );
    assert.equal(Number(exp) - Number(iat), 20 * 60);
    assert.equal(reply.body.expires_at, new Date(Number(exp) * 1000).toISOString());
    assert.match(reply.body.token_expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
    assert.equal(Date.parse(`${reply.body.token_expiration}Z`), Number(exp) * 1000);
  }
});

/** Last in this file: it moves the clock. */
test('a refresh token works repeatedly for 24 hours, and each new token opens the order', async () => {
  for (const seconds of [3600, 20 * 3600, 3 * 3600 - 60]) {
    service.advanceSeconds(seconds);
    const expired = await service.call(`/api/v3/order?order_id=${order.order_id}`, {
      token: order.token,
    });
    assert.equal(expired.status, 401);
    const { status, body } = await service.call('/api/v3/refresh-token', {
      body: { refresh_token: order.refresh_token },
    });
    assert.equal(status, 200, JSON.stringify(body));
    const opened = await service.call(`/api/v3/order?order_id=${order.order_id}`, {
      token: body.token,
    });
    assert.equal(opened.status, 200);
    assert.equal(opened.body.order_id, order.order_id);
  }
});
