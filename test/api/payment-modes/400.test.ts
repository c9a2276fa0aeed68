import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

const bodies: [name: string, body: unknown, words: RegExp][] = [
  ['no order_id', {}, /^order_id is missing/],
  ['only an invoice_id', { invoice_id: 'INV-1' }, /^order_id is missing/],
  ['an empty order_id', { order_id: '' }, /^order_id is missing/],
  ['an order_id that is a number', { order_id: 5 }, /^order_id must be of type string/],
  ['an order_id that is null', { order_id: null }, /^order_id is missing/],
  ['an order_id that is too long', { order_id: 'o'.repeat(1025) }, /^order_id may have at most/],
  ['an array', [], /JSON object/],
  ['no JSON', '{"order_id"', /JSON/],
];
for (const [name, body, words] of bodies) {
  test(`${name} is refused, and the message names it`, async () => {
    const reply = await service.call('/api/v3/payment-modes', { token: account.token, body });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', words);
  });
}
