import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  test(`${method} answers 405 and names POST, with or without a token`, async () => {
    for (const token of [account.token, undefined]) {
      const reply = await service.call('/api/v3/create-order', {
        method,
        token,
        ...(method !== 'GET' && { body: orderBody() }),
      });
      assertRefused(reply, 'METHOD_NOT_ALLOWED', 'POST');
      assert.equal(reply.headers.get('allow'), 'POST');
    }
  });
}

test('HEAD answers 405 with no body', async () => {
  const reply = await service.call('/api/v3/create-order', { method: 'HEAD' });
  assert.equal(reply.status, 405);
  assert.equal(reply.headers.get('allow'), 'POST');
  assert.equal(reply.body, '');
});
