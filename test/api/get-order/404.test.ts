import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService, type TestAccount } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const [account, stranger] = [await service.createAccount(), await service.createAccount()];
const [one, two] = [await createOrder(account), await createOrder(account)];
const foreign = await createOrder(stranger);

const unknown: [name: string, query: string, code: ErrorCode][] = [
  ['an unknown order_id', 'order_id=o_0000000000000000', 'ORDER_NOT_FOUND'],
  ['an unknown invoice_id', 'invoice_id=none', 'INVOICE_NOT_FOUND'],
  ["another account's order_id", `order_id=${foreign.order_id}`, 'ORDER_NOT_FOUND'],
  ["another account's invoice_id", `invoice_id=${foreign.invoice_id}`, 'INVOICE_NOT_FOUND'],
  [
    "another account's ids together",
    `order_id=${foreign.order_id}&invoice_id=${foreign.invoice_id}`,
    'ORDER_NOT_FOUND',
  ],
  [
    "another account's order_id beside an own invoice_id",
    `order_id=${foreign.order_id}&invoice_id=${one.invoice_id}`,
    'ORDER_NOT_FOUND',
  ],
  ...['o_', 'x', 'o_000000000000000', 'O_0000000000000000', 'o_00000000000000000', '0', '*'].map(
    (id): [string, string, ErrorCode] => [
      `the order_id ${id}`,
      `order_id=${id}`,
      'ORDER_NOT_FOUND',
    ],
  ),
  ['an order_id with a line end', `order_id=${one.order_id}%0A`, 'ORDER_NOT_FOUND'],
  ['SQL for an order_id', "order_id=' or 1=1 --", 'ORDER_NOT_FOUND'],
  ['SQL for an invoice_id', "invoice_id=' or 1=1 --", 'INVOICE_NOT_FOUND'],
  ['a pattern for an invoice_id', 'invoice_id=%25', 'INVOICE_NOT_FOUND'],
  ['an order_id sent as an invoice_id', `invoice_id=${one.order_id}`, 'INVOICE_NOT_FOUND'],
];
for (const [name, query, code] of unknown) {
  test(`${name} is not found`, async () => {
    assertRefused(await service.call(`/api/v3/order?${query}`, { token: account.token }), code);
  });
}

test('an invoice_id is found by its exact spelling only', async () => {
  await createOrder(account, { invoice_id: 'Case-1' });
  for (const invoice of ['case-1', 'Case-1%20', '%20Case-1', 'Case-']) {
    const reply = await service.call(`/api/v3/order?invoice_id=${invoice}`, {
      token: account.token,
    });
    assertRefused(reply, 'INVOICE_NOT_FOUND');
  }
});

test('an order token finds no order but its own', async () => {
  for (const { order_id, invoice_id } of [two, foreign]) {
    const byOrder = await service.call(`/api/v3/order?order_id=${order_id}`, { token: one.token });
    assertRefused(byOrder, 'ORDER_NOT_FOUND');
    const byInvoice = await service.call(`/api/v3/order?invoice_id=${invoice_id}`, {
      token: one.token,
    });
    assertRefused(byInvoice, 'INVOICE_NOT_FOUND');
    const byBoth = await service.call(
      `/api/v3/order?order_id=${order_id}&invoice_id=${invoice_id}`,
      { token: one.token },
    );
    assertRefused(byBoth, 'ORDER_NOT_FOUND');
  }
});

test('an order token cannot distinguish another order from one that does not exist', async () => {
  const ask = async (orderId: string) =>
    service.call(`/api/v3/order?order_id=${orderId}&invoice_id=guess`, { token: one.token });
  const existing = await ask(two.order_id);
  const missing = await ask('o_0000000000000000');
  assertRefused(missing, 'ORDER_NOT_FOUND');
  assertRefused(existing, 'ORDER_NOT_FOUND');
  assert.deepEqual(existing.body, missing.body);
});

type Ids = { readonly order_id: string; readonly invoice_id: string; readonly token: string };

async function createOrder(
  owner: TestAccount,
  changes: Record<string, unknown> = {},
): Promise<Ids> {
  const body = orderBody(changes);
  return (await service.call('/api/v3/create-order', { token: owner.token, body })).body;
}
