import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('an order token cannot create an order, not even its own again', async () => {
  const body = orderBody();
  const created = await service.call('/api/v3/create-order', { token: account.token, body });
  const before = await dumpTables(service.database);

  for (const attempt of [body, orderBody(), '{not json']) {
    const reply = await service.call('/api/v3/create-order', {
      token: created.body.token,
      body: attempt,
    });
    assertRefused(reply, 'PERMISSION_DENIED');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});
