import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused } from '../assertions.ts';
import { type CreatedOrder, captureOf, openShop } from '../webhooks/shop.ts';

const shop = await openShop();
const { service, account } = shop;
const one = await paidOrder();
const two = await paidOrder();

const none = /at least one of transaction_id, order_id and invoice_id/;
const empty: [name: string, body: unknown][] = [
  ['no id', {}],
  ['nulls only', { transaction_id: null, order_id: null, invoice_id: null }],
  ['empty strings only', { transaction_id: '', order_id: '', invoice_id: '' }],
  ['an empty string and a null', { order_id: '', invoice_id: null }],
  ['unknown fields only', { txn: one.transaction_id }],
];
for (const [name, body] of empty) {
  test(`${name} is refused`, async () => {
    assertRefused(await enquire(body), 'INVALID_REQUEST_PARAMETER', none);
  });
}

const disagreeing: [ids: Record<string, string>, words: RegExp][] = [
  [{ order_id: one.order_id, invoice_id: two.invoice_id }, /order_id and invoice_id/],
  [{ transaction_id: one.transaction_id, order_id: two.order_id }, /transaction_id and order_id/],
  [
    { transaction_id: one.transaction_id, invoice_id: two.invoice_id },
    /transaction_id and invoice_id/,
  ],
  [
    {
      transaction_id: one.transaction_id,
      order_id: one.order_id,
      invoice_id: two.invoice_id,
    },
    /transaction_id and invoice_id/,
  ],
  [
    {
      transaction_id: one.transaction_id,
      order_id: two.order_id,
      invoice_id: two.invoice_id,
    },
    /transaction_id and order_id/,
  ],
];
for (const [ids, words] of disagreeing) {
  const names = Object.keys(ids).join(', ');
  test(`${names} that do not belong together are refused, and the message names them`, async () => {
    const reply = await enquire(ids);
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', words);
    assert.match(reply.body.error.svc_merchant_message, /two different orders/);
  });
}

const malformed: [name: string, body: unknown, words: RegExp][] = [
  ['an id that is an object', { order_id: {} }, /order_id/],
  ['an id that is a list', { invoice_id: ['a'] }, /invoice_id/],
  ['an id that is a boolean', { transaction_id: true }, /transaction_id/],
  ['an id that is too long', { invoice_id: 'x'.repeat(1025) }, /invoice_id/],
  ['a list', [{ order_id: one.order_id }], /./],
  ['null', 'null', /./],
  ['a body that is cut off', '{"order_id":', /JSON/],
  ['an id with the character NUL', '{"order_id":"a\\u0000"}', /u0000/],
];
for (const [name, body, words] of malformed) {
  test(`${name} is refused`, async () => {
    assertRefused(await enquire(body), 'INVALID_REQUEST_PARAMETER', words);
  });
}

function enquire(body: unknown) {
  return service.call('/api/v3/transaction-enquiry', { token: account.token, body });
}

async function paidOrder(): Promise<CreatedOrder & { transaction_id: string }> {
  const order = await shop.createOrder();
  await shop.sendPartner(captureOf(order));
  const { body } = await shop.enquire({ order_id: order.order_id });
  return { ...order, transaction_id: body.transaction[0].svc_transaction_id };
}
