import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, simulator, shop, openShop, createPaid } = await startJourney();
const { orderId, transactionId } = await createPaid({ invoice_id: 'known' });
const stranger = await openShop();

const unknown: [name: string, body: object, token: string, code: 'TRANSACTION' | 'INVOICE'][] = [
  [
    'an unknown transaction',
    { transaction_id: `${orderId}-260101000000` },
    shop.token,
    'TRANSACTION',
  ],
  ['an order_id for a transaction_id', { transaction_id: orderId }, shop.token, 'TRANSACTION'],
  ['SQL', { transaction_id: "' or 1=1 --" }, shop.token, 'TRANSACTION'],
  [
    "another account's transaction",
    { transaction_id: transactionId },
    stranger.token,
    'TRANSACTION',
  ],
  ['an unknown invoice', { invoice_id: 'unknown' }, shop.token, 'INVOICE'],
  ["another account's invoice", { invoice_id: 'known' }, stranger.token, 'INVOICE'],
  [
    'a known transaction of an unknown invoice',
    { transaction_id: transactionId, invoice_id: 'no' },
    shop.token,
    'INVOICE',
  ],
  [
    'a known invoice of an unknown transaction',
    { transaction_id: 'no', invoice_id: 'known' },
    shop.token,
    'TRANSACTION',
  ],
];
for (const [name, body, token, code] of unknown) {
  test(`${name} is not found, whatever the amount, and nothing changes`, async () => {
    const before = [await dumpTables(service.database), simulator.ledger()];
    for (const refund_amount of [undefined, 1, 0, 'ten', 1e6]) {
      const reply = await service.call('/api/v3/refund', {
        token,
        body: { ...body, refund_amount },
      });
      assertRefused(reply, `${code}_NOT_FOUND`);
    }
    assert.deepEqual([await dumpTables(service.database), simulator.ledger()], before);
  });
}
