import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';
import { startWithOrdersNotFound } from '../orders-not-found.ts';

const { service, notFound } = await startWithOrdersNotFound();

for (const { name, order_id, token } of notFound) {
  test(`${name} is not found, and nobody is linked`, async () => {
    const before = await dumpTables(service.database);
    const body = { order_id, mobile_number: '9000000001' };
    assertRefused(await service.call('/api/v3/resolve-user', { token, body }), 'ORDER_NOT_FOUND');
    assert.deepEqual(await dumpTables(service.database), before);
  });
}
