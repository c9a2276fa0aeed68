import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertWebhookRefused } from '../assertions.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();
const { service } = shop;
const bytesMax = 256 * 1024;

const senders: [name: string, send: (text: string) => Promise<Reply>][] = [
  ['partner', (text) => shop.sendPartner(text)],
  // A string would be sent as form data, so the type is set.
  [
    'bank gateway',
    (text) => shop.sendGateway(text, { headers: { 'content-type': 'application/json' } }),
  ],
  ['bearer', (text) => shop.sendAsBearer('partner', text)],
];
for (const [index, [name, send]] of senders.entries()) {
  test(`${name}: 256 KiB are accepted, one byte more is answered 413 and not stored`, async () => {
    const order = await shop.createOrder();
    const body = index === 1 ? gatewayPaymentOf(order) : captureOf(order);
    const before = await dumpTables(service.database);
    const refused = await send(paddedTo(bytesMax + 1, body));
    assertWebhookRefused(refused, 413, /256 KiB/);
    assert.deepEqual(await dumpTables(service.database), before);

    assert.equal((await send(paddedTo(bytesMax, body))).status, 200);
    assert.equal((await shop.enquire({ order_id: order.order_id })).body.order.status, 'completed');
  });
}

test('a body that is too large is refused before its signature is checked', async () => {
  const reply = await service.call('/api/v3/webhooks/partner/acc_0000000000000000', {
    body: 'x'.repeat(bytesMax + 1),
    headers: { 'x-razorpay-signature': '0'.repeat(64) },
  });
  assertWebhookRefused(reply, 413, /256 KiB/);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function paddedTo(bytes: number, body: Record<string, unknown>): string {
  const text = JSON.stringify({ ...body, padding: '' });
  return JSON.stringify({ ...body, padding: 'x'.repeat(bytes - Buffer.byteLength(text)) });
}
