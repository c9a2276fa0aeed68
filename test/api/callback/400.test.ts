import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, shop } = await startJourney();
const created = await service.call('/api/v3/create-order', {
  token: shop.token,
  body: orderBody(),
});
const { order_id, token: orderToken } = created.body;
const upi = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };

const addresses = [
  'http://shop.example/back',
  'https://user:word@shop.example/',
  'https://shop.example/a b',
  'shopapp://paid',
  'javascript:alert(1)',
  'data:text/html,x',
  '/back',
  'shop.example',
  'x',
];
for (const callback_url of addresses) {
  test(`${callback_url} is no callback_url for any token, and nothing changes`, async () => {
    const before = await dumpTables(service.database);
    const calls: [path: string, token: string, body: object][] = [
      ['create-order', shop.token, orderBody({ callback_url })],
      ['update-order', shop.token, { order_id, callback_url, description: 'changed' }],
      ['update-order', orderToken, { order_id, callback_url }],
      ['initiate-payment', shop.token, { ...upi, callback_url }],
      ['initiate-payment', orderToken, { ...upi, callback_url }],
    ];
    for (const [path, token, body] of calls) {
      const reply = await service.call(`/api/v3/${path}`, { token, body });
      assertRefused(reply, 'INVALID_REQUEST_PARAMETER', /^callback_url must be an https URL/);
    }
    assert.deepEqual(await dumpTables(service.database), before);
  });
}
