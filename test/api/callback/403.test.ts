import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JourneyShop, startJourney } from '../../support/journey.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertRefused } from '../assertions.ts';

const { service, openShop } = await startJourney();
const listed = await openShop({ callbackOrigins: ['https://shop.example'] });
const unlisted = await openShop();
const shop = 'https://shop.example/back';
const elsewhere = 'https://elsewhere.example/back';

const cases: [name: string, account: JourneyShop, before: object, sent: object][] = [
  ['an origin that is not listed', listed, {}, { callback_url: elsewhere }],
  [
    'an origin that is not listed over another',
    listed,
    { callback_url: shop },
    { callback_url: elsewhere },
  ],
  ['another address without a list', unlisted, { callback_url: shop }, { callback_url: elsewhere }],
  [
    'the same origin without a list',
    unlisted,
    { callback_url: shop },
    { callback_url: `${shop}/2` },
  ],
  [
    'a mode without a list',
    unlisted,
    { callback_url: shop },
    { callback_mode: 'callback_url_post' },
  ],
];
for (const [name, account, before, sent] of cases) {
  test(`an order token may not set ${name}, and nothing changes`, async () => {
    const order = await create(account, before);
    const { order_id, token } = order;
    const stored = await dumpTables(service.database);
    const payment = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank', ...sent };
    for (const [path, body] of [
      ['update-order', { order_id, shipping_address: { city: 'Pune' }, ...sent }],
      ['initiate-payment', payment],
    ] as const) {
      const reply = await service.call(`/api/v3/${path}`, { token, body });
      assertRefused(reply, 'PERMISSION_DENIED', 'callback_url');
    }
    assert.deepEqual(await dumpTables(service.database), stored);
  });
}

async function create(account: JourneyShop, changes: object) {
  const body = orderBody({ ...changes });
  const reply = await service.call('/api/v3/create-order', { token: account.token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
