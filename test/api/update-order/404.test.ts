import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';
import { startWithOrdersNotFound } from '../orders-not-found.ts';

const { service, notFound } = await startWithOrdersNotFound();

for (const { name, order_id, token } of notFound) {
  test(`${name} is not found, whatever else is wrong, and nothing changes`, async () => {
    const before = await dumpTables(service.database);
    for (const fields of [{ description: 'x' }, { total_amount: 1 }, { currency: 'XYZ' }]) {
      const body = { order_id, ...fields };
      assertRefused(await service.call('/api/v3/update-order', { token, body }), 'ORDER_NOT_FOUND');
    }
    assert.deepEqual(await dumpTables(service.database), before);
  });
}
