import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, shop, createPaid } = await startJourney();
const { orderId, transactionId } = await createPaid();
const path = '/api/v3/refund';
const body = { transaction_id: transactionId };

test('without a valid token nothing is refunded', async () => {
  const { accountId } = shop;
  const issued = { type: 'refresh', accountId, orderId } as const;
  const { token: refreshToken } = await service.services.tokens.issue(issued);
  const before = await dumpTables(service.database);
  const reply = await service.call(path, { body });
  assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  assertRefused(await service.call(path, { body, token: 'x.y.z' }), 'INVALID_TOKEN');
  const refreshed = await service.call(path, { body, token: refreshToken });
  assertRefused(refreshed, 'INVALID_TOKEN', 'refresh-token');
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('a merchant token refunds for twenty minutes and no longer', async () => {
  service.advanceSeconds(20 * 60 + 1);
  const before = await dumpTables(service.database);
  assertRefused(await service.call(path, { body, token: shop.token }), 'TOKEN_EXPIRED');
  assert.deepEqual(await dumpTables(service.database), before);
});
