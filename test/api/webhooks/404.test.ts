import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  gatewayBody,
  partnerEvent,
  partnerId,
  partnerPayment,
  partnerRefund,
} from '../../support/deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import { assertWebhookRefused } from '../assertions.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop, shopOf } from './shop.ts';

const shop = await openShop();
const { service, account } = shop;
const foreign = await shopOf(service, await service.createAccount()).createOrder();
const nobody = { order_id: 'o_0000000000000000' };

const unknown: [name: string, provider: string, body: Record<string, unknown>][] = [
  ['a payment of an unknown order', 'partner', captureOf(nobody)],
  ['a payment that names no order', 'partner', captureOf(nobody, { notes: [] })],
  ["a payment of another account's order", 'partner', captureOf(foreign)],
  [
    'a refund of an unknown payment',
    'partner',
    partnerEvent('refund.processed', { refund: partnerRefund(partnerPayment()) }),
  ],
  ["the gateway's payment of an unknown order", 'bank-gateway', gatewayPaymentOf(nobody)],
  ["the gateway's payment of another account's order", 'bank-gateway', gatewayPaymentOf(foreign)],
];
for (const [name, provider, body] of unknown) {
  test(`${name} is answered 404 to a bearer and not stored`, async () => {
    const before = await dumpTables(service.database);
    assertWebhookRefused(await shop.sendAsBearer(provider, body), 404);
    const withId = await service.call(`/api/v3/webhooks/${provider}/${account.accountId}`, {
      token: account.token,
      body,
    });
    assertWebhookRefused(withId, 404);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

test('a delivery that a bearer caller was refused is accepted once the order exists', async () => {
  const invoice_id = partnerId('order');
  const body = captureOf(nobody, { notes: { invoice_id } });
  assertWebhookRefused(await shop.sendAsBearer('partner', body), 404);
  const { order_id } = await shop.createOrder({ invoice_id });
  assert.equal((await shop.enquire({ order_id })).body.transaction.length, 0);
  assert.equal((await shop.sendAsBearer('partner', body)).body.status, 'processed');
});

test('a bearer that repeats a parked delivery is answered 404 and does not change it', async () => {
  const invoice_id = partnerId('order');
  const body = gatewayBody({ order: { id: invoice_id } });
  const parked = await shop.sendGateway(body);
  assert.equal(parked.body.status, 'parked');
  const before = await dumpTables(service.database);

  assertWebhookRefused(await shop.sendAsBearer('bank-gateway', body), 404);

  assert.deepEqual(await dumpTables(service.database), before);
  const { order_id } = await shop.createOrder({ invoice_id });
  assert.equal((await shop.enquire({ order_id })).body.order.status, 'completed');
});

test('a path without a provider is answered 404', async () => {
  const reply = await service.call(`/api/v3/webhooks/other/${account.accountId}`, { body: {} });
  assert.equal(reply.status, 404);
});

test('the invariants hold after all of this', () => assertInvariants(shop));
