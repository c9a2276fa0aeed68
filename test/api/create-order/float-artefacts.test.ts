import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

/** Prices times quantities at a tax in percent. */
const carts = [
  '0.10x3 @0',
  '0.70x1 0.10x1 @0',
  '19.99x3 @18',
  '4.35x100 @0',
  '1.10x3 @18',
  '0.07x9 @5',
  '33.33x3 @12',
  '1234.56x1 @0',
  '999.99x99 @28',
  '0.01x1 @0',
  '1.15x7 2.25x3 @18',
  '8.70x11 @12',
  '0.67x2 149.49x24 @2.5',
  '3x1 19.05x2 @18',
  '12499.49x7 @7.7',
  '149.67x7 9.05x1 @8.875',
  '0.01x5 79x7 349x7 @12',
  '14.57x1 1.33x1 1499.19x24 149.07x1 19x1 3.35x5 @8.875',
  '0.99x5 4.35x5 @2.5',
  '4.01x2 9.01x7 @12',
  '1499.01x5 3.19x12 3.57x1 999.67x2 @18',
  '14.05x5 999x1 @19',
  '24x3 @19',
  '3.05x1 @21',
  '19.90x1 24.49x12 @20',
  '999x1 9.33x24 @5',
  '19.95x1 3.67x7 @2.5',
  '149.19x24 0.07x3 @19',
  '0.67x7 3.67x5 @2.5',
  '1.10x3 24.19x1 @0',
  '149x5 9.57x2 2x7 9.35x1 12499.10x24 1.05x24 @19',
  '4x2 79.67x7 1.07x1 @8.875',
  '79.90x3 4.01x24 49.35x1 1.10x24 2.67x7 2.29x5 @28',
  '9x1 349.07x7 1.95x3 9.01x1 @28',
  '79x1 4.29x3 @18',
  '1499.05x1 14.90x5 14.95x1 @21',
  '349.33x2 149.29x7 @20',
  '79.95x2 19.67x12 @8.875',
  '4.90x12 3.35x1 49.95x24 12499.67x7 19.10x7 0.49x1 @12',
  '1499.57x1 149.19x2 149.05x7 @18',
  '149.05x1 12499x5 @3',
  '1.05x2 @2.5',
  '12499.29x1 @28',
  '999.49x1 999.49x5 @3',
  '1499.95x1 49.49x24 @12',
  '24x24 149.01x12 @20',
  '14.07x2 0.95x24 1499.95x3 @2.5',
  '19.90x2 14.19x5 1499.49x1 @20',
  '149.90x5 0.57x3 2.07x3 9.05x1 12499.29x2 1.05x1 @8.875',
  '24.01x1 1499.05x7 1.33x5 1499.49x24 1.07x12 12499.19x3 @8.875',
  '1x2 19.35x7 19.01x1 @20',
  '4.90x5 @8.875',
  '24.01x1 @7.7',
  '349.99x24 1.19x24 0.10x1 9.33x7 149.19x1 1499.10x2 @18',
  '19.57x24 1499.33x24 24.67x1 1.49x2 @20',
  '999x5 14.67x2 @7.7',
  '0.33x7 49.33x2 3x1 3x12 12499.57x12 2.05x1 @7.7',
  '14.49x2 3.05x3 0.99x24 @12',
  '4.19x5 9.67x5 2.29x2 12499.49x24 @18',
  '9.90x5 1.01x12 4.57x1 @28',
];

for (const [name, print] of [
  ['the shortest digits', (value: number) => String(value)],
  [
    '17 digits, as older PHP does',
    (value: number) => String(Number(value) && value.toPrecision(17)),
  ],
] as const) {
  test(`60 carts of a shop that computes in floats and prints ${name} are accepted`, async () => {
    let artefacts = 0;
    for (const [index, cart] of carts.entries()) {
      const { sent, exact } = countInFloats(cart);
      const invoice = `CART-${name.slice(0, 4)}-${index}`;
      const reply = await create(print, sent, {
        invoice_id: invoice,
        validate_order_line_item: true,
      });
      assert.equal(reply.status, 200, `${cart}: ${JSON.stringify(reply.body)}`);
      const { amount_before_tax, tax, total_amount } = reply.body;
      assert.deepEqual({ amount_before_tax, tax, total_amount }, exact, cart);
      const written = [sent.total_amount, sent.amount_before_tax, sent.tax].map(print);
      artefacts += Number(written.some((digits) => digits.length > 15));
      await assertCanBeUpdated(reply.body.order_id, cart);
    }
    assert.equal(carts.length, 60);
    assert.ok(artefacts > 5, `only ${artefacts} carts have artefacts`);
  });
}

test('a number close to an exact amount counts as that amount and is the same content', async () => {
  const { amount_before_tax: _followed, ...body } = orderBody({ tax: 0, total_amount: 0.2 });
  const first = await post(JSON.stringify(body));
  assert.equal(first.body.total_amount, 0.2);
  for (const number of [
    '0.19999999999999998',
    '0.2000000000000000000001',
    '0.20000001',
    '2.0000000000000001e-1',
  ]) {
    const again = await post(
      JSON.stringify(body).replace('"total_amount":0.2', `"total_amount":${number}`),
    );
    assert.equal(again.status, 200, number);
    assert.equal(again.body.order_id, first.body.order_id, number);
    assert.equal(again.headers.get('idempotent-replayed'), 'true', number);
    assert.equal(again.body.total_amount, 0.2);
  }
});

test('items with artefacts are the same content as items without', async () => {
  const item = { title: 'Tea', quantity: 3 };
  const body = orderBody({ order_line_items: [{ ...item, rate: 0.1, total_amount: 0.3 }] });
  const first = await post(JSON.stringify(body));
  const written = JSON.stringify(body)
    .replace('"total_amount":0.3', '"total_amount":0.30000000000000004')
    .replace('"rate":0.1', '"rate":0.10000000000000001');
  const again = await post(written);
  assert.equal(again.body.order_id, first.body.order_id);
});

test('a number that is further off, and a string with an artefact, are refused', async () => {
  const { amount_before_tax: _followed, ...body } = orderBody({ tax: 0, total_amount: 0.2 });
  for (const written of [
    '0.200000011',
    '0.2000000100000000000001',
    '0.201',
    '"0.19999999999999998"',
    '"0.2000000000000000000001"',
    '"2.0000000000000001e-1"',
  ]) {
    const text = JSON.stringify(body).replace('"total_amount":0.2', `"total_amount":${written}`);
    assertRefused(await post(text), 'INVALID_REQUEST_PARAMETER', /^total_amount /);
  }
});

test('amounts without their artefacts must still add up', async () => {
  const sums = { amount_before_tax: 0.1 + 0.2, tax: 0.7 + 0.1, total_amount: 1.1 };
  assert.equal((await post(JSON.stringify(orderBody(sums)))).status, 200);
  const wrong = orderBody({ ...sums, total_amount: 1.11 });
  assertRefused(await post(JSON.stringify(wrong)), 'INVALID_REQUEST_PARAMETER', /exactly/);
});

test('an update accepts the same numbers', async () => {
  const { body: order } = await post(JSON.stringify(orderBody()));
  const changes = `{"order_id":"${order.order_id}","tax":0,"total_amount":19.989999999999998436,"amount_before_tax":19.99}`;
  const updated = await service.call('/api/v3/update-order', {
    token: account.token,
    body: changes,
  });
  assert.equal(updated.status, 200);
  assert.equal(updated.body.total_amount, 19.99);
  const asText = changes.replace(/19\.98\d+/, '"$&"');
  const refused = await service.call('/api/v3/update-order', {
    token: account.token,
    body: asText,
  });
  assertRefused(refused, 'INVALID_REQUEST_PARAMETER', /^total_amount /);
});

test("an item's number that no double holds is stored as the amount, or as its decimals", async () => {
  const item =
    '{"title":"Tea","quantity":1.00000000000000000001,"rate":33.333333333333333333,"tax":0.10000000000000001}';
  const body = JSON.stringify({ ...orderBody(), order_line_items: ['item'] }).replace(
    '"item"',
    item,
  );
  const { body: order } = await post(body);
  const found = await service.call(`/api/v3/order?order_id=${order.order_id}`, {
    token: account.token,
  });
  assert.deepEqual(found.body.order_line_items, [
    { title: 'Tea', quantity: 1, rate: '33.333333333333333333', tax: 0.1 },
  ]);
});

/** As a shop's plugin computes it: each line rounded to the minor unit, sums in floats. */
function countInFloats(cart: string) {
  const [lines = '', percent] = cart.split(' @');
  const items = lines.split(' ').map((line, index) => {
    const [price, quantity] = line.split('x').map(Number) as [number, number];
    const amount_before_tax = price * quantity;
    const tax = Math.round(amount_before_tax * Number(percent)) / 100;
    const total_amount = amount_before_tax + tax;
    return { title: `Item ${index}`, rate: price, quantity, amount_before_tax, tax, total_amount };
  });
  const sum = (name: 'amount_before_tax' | 'tax') =>
    items.reduce((total, item) => total + item[name], 0);
  const sent = {
    amount_before_tax: sum('amount_before_tax'),
    tax: sum('tax'),
    total_amount: sum('amount_before_tax') + sum('tax'),
  };
  const minor = (name: 'amount_before_tax' | 'tax') =>
    items.reduce((total, item) => total + Math.round(item[name] * 100), 0);
  const [beforeTax, tax] = [minor('amount_before_tax'), minor('tax')];
  const exact = {
    amount_before_tax: beforeTax / 100,
    tax: tax / 100,
    total_amount: (beforeTax + tax) / 100,
  };
  return { sent: { ...sent, order_line_items: items }, exact };
}

/** JSON with every number printed in the shop's manner. */
function create(print: (value: number) => string, sent: object, changes: object) {
  const body = { ...orderBody(), ...sent, ...changes };
  const numbers: string[] = [];
  const marked = JSON.stringify(body, (_name, value: unknown) => {
    if (typeof value !== 'number') return value;
    return `number-${numbers.push(print(value)) - 1}`;
  });
  return post(
    marked.replaceAll(/"number-(\d+)"/g, (_match, index) => numbers[Number(index)] ?? ''),
  );
}

/** Checks the stored items again. */
async function assertCanBeUpdated(order_id: string, cart: string) {
  const body = { order_id, description: 'Gift' };
  const reply = await service.call('/api/v3/update-order', { token: account.token, body });
  assert.equal(reply.status, 200, `${cart}: ${JSON.stringify(reply.body)}`);
}

function post(body: string) {
  return service.call('/api/v3/create-order', { token: account.token, body });
}
