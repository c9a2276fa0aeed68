import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});

const prices: [name: string, field: string, fields: Record<string, unknown>][] = [
  ['a total', 'total_amount', { total_amount: 1 }],
  ['the same total', 'amount_before_tax', { amount_before_tax: 100, tax: 18, total_amount: 118 }],
  ['a tax', 'tax', { tax: 0 }],
  ['an amount before tax', 'amount_before_tax', { amount_before_tax: '1' }],
  ['amounts that cannot be', 'total_amount', { total_amount: 'ten' }],
  [
    'cart items',
    'order_line_items',
    { order_line_items: [{ title: 'Tea', rate: 1, quantity: 1 }] },
  ],
];
for (const [name, field, fields] of prices) {
  test(`an order token with ${name} is refused, and no other part of its update is applied`, async () => {
    const before = await dumpTables(service.database);
    const reply = await service.call('/api/v3/update-order', {
      token: order.token,
      body: { order_id: order.order_id, user: { first_name: 'B' }, ...fields },
    });
    assertRefused(reply, 'PERMISSION_DENIED', `may not change ${field}:`);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}
