/** No card number and no security code is stored, however it is written. Contract 8.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  gatewayBody,
  partnerEvent,
  partnerPayment,
  sendGateway,
  sendPartner,
  toFormData,
} from '../../support/deliveries.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();
const card = '4111111111111111';
const masked = '411111******1111';
const cardGroup = {
  type: 'CARD',
  provided: {
    card: { number: card, securityCode: '987', fundingMethod: 'CREDIT', scheme: 'VISA' },
  },
};

const spellings: ReadonlyArray<readonly [string, (orderId: string) => Promise<unknown>]> = [
  [
    'in the free text of a partner payment',
    (order_id) => {
      const payment = partnerPayment({
        notes: { svc_order_id: order_id },
        description: `card ${card}`,
      });
      return sendPartner(service, account, partnerEvent('payment.captured', { payment }));
    },
  ],
  [
    'in the card of a gateway payment',
    (id) => sendGateway(service, account, gatewayBody({ order: { id }, sourceOfFunds: cardGroup })),
  ],
  [
    'in form data',
    (id) =>
      sendGateway(
        service,
        account,
        toFormData(gatewayBody({ order: { id }, sourceOfFunds: cardGroup })),
      ),
  ],
  [
    'with escaped digits',
    (id) => {
      const text = JSON.stringify(gatewayBody({ order: { id }, sourceOfFunds: cardGroup }));
      return sendRaw(text.replace(card, `\\u0034${card.slice(1)}`), 'application/json');
    },
  ],
  [
    'with percent-encoded digits',
    (id) => {
      const text = toFormData(gatewayBody({ order: { id }, sourceOfFunds: cardGroup }));
      return sendRaw(
        text.replace(card, `%34${card.slice(1)}`),
        'application/x-www-form-urlencoded',
      );
    },
  ],
];

for (const [name, send] of spellings) {
  test(`a card number ${name} is masked in everything that is stored, returned and logged`, async () => {
    const body = orderBody();
    const { order_id } = (
      await service.call('/api/v3/create-order', { token: account.token, body })
    ).body;
    await send(order_id);
    const { body: enquiry } = await service.call('/api/v3/transaction-enquiry', {
      token: account.token,
      body: { order_id },
    });
    assert.equal(enquiry.order.status, 'completed');
    const kept = JSON.stringify(await dumpTables(service.database)) + (await bodies());
    for (const text of [kept, JSON.stringify(enquiry), service.logText()]) {
      assert.equal(text.includes(card), false);
      assert.doesNotMatch(text, /securityCode\W+987/);
    }
    const shown = enquiry.transaction[0].sub_payment_mode.masked_card;
    assert.ok(shown === masked || shown.endsWith('******1111'), shown);
  });
}

function sendRaw(text: string, contentType: string) {
  return service.call(`/api/v3/webhooks/bank-gateway/${account.accountId}`, {
    body: text,
    headers: { 'content-type': contentType, 'x-notification-secret': account.bankGatewaySecret },
  });
}

/** The bodies as text, with escapes and encodings decoded. */
async function bodies(): Promise<string> {
  const { rows } = await service.database.query<{ body: Buffer }>({
    text: 'select body from deliveries',
  });
  const texts = rows.map(({ body }) => body.toString('utf8'));
  return texts
    .map((text) =>
      text.startsWith('{') ? JSON.stringify(JSON.parse(text)) : decodeURIComponent(text),
    )
    .join('\n');
}
