import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, shop, createPaid } = await startJourney();

test('an order token cannot refund its own order or any other', async () => {
  const { orderId, transactionId } = await createPaid({ invoice_id: 'own' });
  const other = await createPaid();
  const { accountId } = shop;
  const { token } = await service.services.tokens.issue({ type: 'order', accountId, orderId });
  const before = [await dumpTables(service.database), simulator.ledger()];
  for (const body of [
    { transaction_id: transactionId },
    { transaction_id: other.transactionId },
    { invoice_id: 'own', refund_amount: 1 },
    { invoice_id: 'unknown' },
    { refund_amount: 'ten' },
    {},
  ]) {
    const reply = await service.call('/api/v3/refund', { token, body });
    assertRefused(reply, 'PERMISSION_DENIED');
  }
  assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
});
