import { test } from 'node:test';
import { orderBody } from '../../support/order-bodies.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const [one, two] = [await createOrder(), await createOrder()];

const refusals: [name: string, query: string, told: RegExp][] = [
  ['no id', '', /order_id or invoice_id/],
  ['empty ids', '?order_id=&invoice_id=', /order_id or invoice_id/],
  ['unknown parameters only', '?id=1', /order_id or invoice_id/],
  [
    'ids of two orders',
    `?order_id=${one.order_id}&invoice_id=${two.invoice_id}`,
    /order_id and invoice_id/,
  ],
  [
    'an order_id beside an invoice_id of no order',
    `?order_id=${one.order_id}&invoice_id=none`,
    /order_id and invoice_id/,
  ],
  ['order_id twice', `?order_id=${one.order_id}&order_id=${two.order_id}`, /^order_id /],
  ['invoice_id twice', `?invoice_id=${one.invoice_id}&invoice_id=x`, /^invoice_id /],
  ['an order_id too long', `?order_id=${'o'.repeat(256)}`, /^order_id .* 255/],
  ['an invoice_id too long', `?invoice_id=${'i'.repeat(256)}`, /^invoice_id .* 255/],
  ['NUL in an invoice_id', '?invoice_id=a%00b', /^invoice_id /],
];
for (const [name, query, told] of refusals) {
  test(`${name} is refused, and the message says what to send`, async () => {
    const reply = await service.call(`/api/v3/order${query}`, { token: account.token });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', told);
  });
}

async function createOrder(): Promise<{ order_id: string; invoice_id: string }> {
  const body = orderBody();
  return (await service.call('/api/v3/create-order', { token: account.token, body })).body;
}
