import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();

const refusals: [name: string, body: unknown, told: RegExp][] = [
  ['an empty body', '', /JSON/],
  ['no JSON', 'refresh_token=abc', /JSON/],
  ['an array', ['abc'], /JSON object/],
  ['no refresh_token', {}, /^refresh_token is missing/],
  ['null', { refresh_token: null }, /^refresh_token /],
  ['a number', { refresh_token: 7 }, /^refresh_token /],
  ['an object', { refresh_token: {} }, /^refresh_token /],
  ['an empty text', { refresh_token: '' }, /^refresh_token /],
  ['a text too long', { refresh_token: 'x'.repeat(4097) }, /^refresh_token .* 4096/],
];
for (const [name, body, told] of refusals) {
  test(`${name} is refused, and the message says what to send`, async () => {
    const reply = await service.call('/api/v3/refresh-token', { body });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', told);
  });
}
