import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';
import { lists } from './lists.ts';

const service = await startTestService();
const { token } = await service.createAccount();

const bodies: [name: string, body: unknown, words: RegExp][] = [
  ['no order_id', {}, /^order_id is missing/],
  ['an empty order_id', { order_id: '' }, /^order_id is missing/],
  ['an order_id that is a number', { order_id: 5 }, /^order_id must be of type string/],
  ['an amount without a currency', { total_amount: 1 }, /^currency is missing/],
  ['a currency without an amount', { currency: 'INR' }, /^total_amount is missing/],
  ['an amount that is none', { total_amount: 'x', currency: 'INR' }, /^total_amount /],
  ['a currency that is none', { total_amount: 1, currency: 'inr' }, /^currency must be /],
  ['an array', [], /JSON object/],
  ['no JSON', '{"order_id"', /JSON/],
];
for (const { path } of lists) {
  for (const [name, body, words] of bodies) {
    test(`${path} with ${name} is refused, and the message names it`, async () => {
      assertRefused(await service.call(path, { token, body }), 'INVALID_REQUEST_PARAMETER', words);
    });
  }
}
