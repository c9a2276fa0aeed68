/** Who may not create payment links. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('an order token cannot create a link, not even for its own order', async () => {
  const body = orderBody();
  const created = await service.call('/api/v3/payment-link', { token: account.token, body });
  const before = await dumpTables(service.database);
  for (const attempt of [body, orderBody(), '{not json']) {
    const call = { token: created.body.token, body: attempt };
    assertRefused(await service.call('/api/v3/payment-link', call), 'PERMISSION_DENIED');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a caller without a token is answered 401 before the body is read', async () => {
  const reply = await service.call('/api/v3/payment-link', { body: '{not json' });
  assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
});
