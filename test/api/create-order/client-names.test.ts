/** Orders in the words of existing clients are those of the contract. Contract 3.2 and 3.18. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sealPayload } from '../../../src/security/sealed-payload.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount({
  optionalOrderDetails: true,
  encryptedPayloads: true,
});
const { token } = account;
const call = (path: string, body: unknown, method = 'POST') =>
  service.call(`/api/v3/${path}`, { token, body, method });
const itemsOf = async (order_id: string) =>
  (await service.call(`/api/v3/order?order_id=${order_id}`, { token })).body.order_line_items;

const items = [
  { product_id: '7', product_name: 'Tea', sku: 'T-1', quantity: 2, unit_price: 50, subtotal: 100 },
  { referrer_platform_sku_id: 'C-1', name: 'Cup', quantity: 1, price: '18.00', total: 18 },
  { product_id: 9, title: 'Box', product_name: 'Ignored', quantity: 1, rate: 0, total: 0 },
];
const shown = [
  { sku_id: 'T-1', title: 'Tea', quantity: 2, rate: 50, amount_before_tax: 100 },
  { sku_id: 'C-1', title: 'Cup', quantity: 1, rate: '18.00', total_amount: 18 },
  { sku_id: '9', title: 'Box', quantity: 1, rate: 0, total_amount: 0 },
];

test('items may have the names of existing plugins, and the name of the contract precedes', async () => {
  const body = orderBody({ order_line_items: items });
  const created = await call('create-order', body);
  assert.equal(created.status, 200, JSON.stringify(created.body));
  assert.deepEqual(await itemsOf(created.body.order_id), shown);
  const again = await call('create-order', { ...body, order_line_items: shown });
  assert.equal(again.headers.get('idempotent-replayed'), 'true', JSON.stringify(again.body));
});

test('the same names are read in a sealed body, an update and a payment link', async () => {
  const sealed = JSON.stringify(orderBody({ order_line_items: items }));
  const encrypted_payload = sealPayload(sealed, account.accessSecret);
  const created = await service.call('/api/v2/create-order', {
    token,
    body: { encrypted_payload },
    headers: { encryption: 'ignore' },
  });
  const { order_id } = created.body;
  assert.deepEqual(await itemsOf(order_id), shown);
  const [, cup] = items;
  const updated = await call('update-order', { order_id, order_line_items: [cup] });
  assert.deepEqual(updated.body.order_line_items, [shown[1]]);
  const link = await call('payment-link', orderBody({ order_line_items: items }));
  assert.deepEqual(await itemsOf(link.body.order_id), shown);
  const { invoice_id } = link.body;
  await call('payment-link', { invoice_id, order_line_items: [cup] }, 'PATCH');
  assert.deepEqual(await itemsOf(link.body.order_id), [shown[1]]);
});

test('a number under another name is read as exactly as under its own', async () => {
  const text = (name: string) =>
    JSON.stringify(orderBody({ order_line_items: [] })).replace(
      '"order_line_items":[]',
      `"order_line_items":[{"title":"Tea","quantity":1,"total_amount":118,"${name}":0.19999999999999998001}]`,
    );
  for (const name of ['rate', 'unit_price']) {
    const created = await call('create-order', text(name));
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const [item] = await itemsOf(created.body.order_id);
    assert.equal(item.rate, 0.2, name);
  }
});

test('an empty list for an object, and a bank account without a value, count as absent', async () => {
  const body = orderBody({ user: undefined, shipping_address: undefined });
  const created = await call('create-order', body);
  const objects = { user: [], shipping_address: [], billing_address: [], custom_attributes: [] };
  const banks = [[], {}, { account_number: '', name: '', ifsc: '' }, { account_number: null }];
  for (const bank_account of banks) {
    const again = await call('create-order', { ...body, ...objects, bank_account });
    assert.equal(again.headers.get('idempotent-replayed'), 'true', JSON.stringify(again.body));
    assert.equal(again.body.order_id, created.body.order_id);
  }
  for (const name of [...Object.keys(objects), 'bank_account']) {
    const refused = await call('create-order', { ...orderBody(), [name]: ['x'] });
    assertRefused(refused, 'INVALID_REQUEST_PARAMETER', name);
  }
});
