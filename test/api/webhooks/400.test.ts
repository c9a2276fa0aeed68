import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  partnerRefund,
  toFormData,
} from '../../support/deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Reply } from '../../support/test-service.ts';
import { assertWebhookRefused } from '../assertions.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop } from './shop.ts';

const shop = await openShop();
const { service, account } = shop;
const order = await shop.createOrder();
const capture = JSON.stringify(captureOf(order));
const payment = partnerPayment({ notes: { svc_order_id: order.order_id } });
const { id: _payment, ...paymentWithoutId } = payment;
const refund = partnerRefund(payment);
const { id: _refund, ...refundWithoutId } = refund;
const { payment_id: _paid, ...refundOfNothing } = refund;

type Unreadable = [name: string, body: Record<string, unknown> | string, words: RegExp];

const ofPartner: Unreadable[] = [
  ['a body that is cut off', capture.slice(0, -1), /not a JSON object/],
  ['a body with more behind it', `${capture}x`, /not a JSON object/],
  ['form data', 'event=payment.captured', /not a JSON object/],
  ['a list', `[${capture}]`, /not a JSON object/],
  ['null', 'null', /not a JSON object/],
  ['a text', '"payment.captured"', /not a JSON object/],
  ['blanks', '  ', /not a JSON object/],
  ['an empty object', {}, /event/],
  ['an event that is null', { ...captureOf(order), event: null }, /event/],
  ['an event that is empty', { ...captureOf(order), event: '' }, /event/],
  ['an event that is an object', { ...captureOf(order), event: {} }, /event/],
  ['no payload', { event: 'payment.captured' }, /payload\.payment/],
  ['a payload that is null', { event: 'payment.failed', payload: null }, /payload\.payment/],
  ['a payload without payment', partnerEvent('payment.captured', {}), /payload\.payment/],
  [
    'a payment that is null',
    { event: 'payment.captured', payload: { payment: null } },
    /payload\.payment/,
  ],
  [
    'a payment without id',
    partnerEvent('payment.captured', { payment: paymentWithoutId }),
    /payload\.payment/,
  ],
  [
    'a payment with an empty id',
    partnerEvent('order.paid', { payment: { ...payment, id: '' } }),
    /payload\.payment/,
  ],
  [
    'a refund event without refund',
    partnerEvent('refund.processed', { payment }),
    /payload\.refund/,
  ],
  [
    'a refund without id',
    partnerEvent('refund.failed', { refund: refundWithoutId, payment }),
    /payload\.refund/,
  ],
  [
    'a refund that names no payment',
    partnerEvent('refund.created', { refund: refundOfNothing }),
    /names no payment/,
  ],
];

const gateway = gatewayPaymentOf(order);
const { result: _result, ...withoutResult } = gateway;
const ofGateway: Unreadable[] = [
  ['a body that is cut off', JSON.stringify(gateway).slice(0, -1), /neither/],
  ['a text', 'paid', /neither/],
  ['a list', '[{"order":{"id":"1"}}]', /neither/],
  ['null', 'null', /neither/],
  ['an empty object', '{}', /order\.id/],
  ['no order id', gatewayBody(), /order\.id/],
  ['an order that is null', { ...gateway, order: null }, /order\.id/],
  ['an empty order id', gatewayPaymentOf({ order_id: ' ' }), /order\.id/],
  ['no transaction id', gatewayPaymentOf(order, { transaction: { id: null } }), /transaction\.id/],
  ['no transaction', { ...gateway, transaction: undefined }, /transaction\.id/],
  [
    'no transaction type',
    gatewayPaymentOf(order, { transaction: { type: undefined } }),
    /transaction\.type/,
  ],
  [
    'neither result nor order status',
    { ...withoutResult, order: { id: order.order_id } },
    /result/,
  ],
  ['form data without order id', toFormData(gatewayBody()), /order\.id/],
];

const providers: [provider: 'partner' | 'bank-gateway', unreadable: Unreadable[]][] = [
  ['partner', ofPartner],
  ['bank-gateway', ofGateway],
];
for (const [provider, unreadable] of providers) {
  for (const [name, body, words] of unreadable) {
    test(`${provider}: ${name} is answered 400 to every caller and not stored`, async () => {
      const before = await dumpTables(service.database);
      for (const reply of await sendEveryWay(provider, body)) {
        assertWebhookRefused(reply, 400, words);
      }
      assert.deepEqual(await dumpTables(service.database), before);
    });
  }
}

for (const event of ['payment.downtime.started', 'refund.speed_changed', 'settlement.processed']) {
  test(`a bearer that sends ${event} is answered 400 and nothing is stored`, async () => {
    const before = await dumpTables(service.database);
    const body = partnerEvent(event, { payment });
    assertWebhookRefused(await shop.sendAsBearer('partner', body), 400, event);
    const withId = await service.call(`/api/v3/webhooks/partner/${account.accountId}`, {
      token: account.token,
      body,
    });
    assertWebhookRefused(withId, 400, event);
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

test('the body that these were derived from is accepted', async () => {
  assert.equal((await shop.sendPartner(capture)).body.status, 'processed');
});

test('the invariants hold after all of this', () => assertInvariants(shop));

/** From the provider, from a bearer caller on the account's path, and from one without account id. */
async function sendEveryWay(
  provider: 'partner' | 'bank-gateway',
  body: Record<string, unknown> | string,
): Promise<Reply[]> {
  const send = provider === 'partner' ? shop.sendPartner : shop.sendGateway;
  return [
    await send(body),
    await shop.sendAsBearer(provider, body),
    await service.call(`/api/v3/webhooks/${provider}/${account.accountId}`, {
      token: account.token,
      body,
    }),
  ];
}
