import { test } from 'node:test';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const { accessKey: access_key, accessSecret: access_secret } = await service.createAccount();

const refusals: [name: string, body: unknown, told: RegExp][] = [
  ['an empty body', '', /JSON/],
  ['no JSON', `access_key=${access_key}`, /JSON/],
  ['bad UTF-8', Uint8Array.of(0xff), /UTF-8/],
  ['an array', [access_key, access_secret], /JSON object/],
  ['no fields', {}, /^access_key is missing/],
  ['no key', { access_secret }, /^access_key is missing/],
  ['no secret', { access_key }, /^access_secret is missing/],
  ['a null key', { access_key: null, access_secret }, /^access_key /],
  ['an empty key', { access_key: '', access_secret }, /^access_key /],
  ['an empty secret', { access_key, access_secret: '' }, /^access_secret /],
  ['a numeric secret', { access_key, access_secret: 7 }, /^access_secret /],
  ['a key too long', { access_key: 'x'.repeat(1025), access_secret }, /^access_key .* 1024/],
  ['a secret too long', { access_key, access_secret: 'x'.repeat(1025) }, /^access_secret .* 1024/],
  ['NUL in the key', { access_key: `${access_key}\u0000`, access_secret }, /u0000/],
];
for (const [name, body, told] of refusals) {
  test(`${name} is refused, and the message says what to send`, async () => {
    const reply = await service.call('/api/v3/generate-token', { body });
    assertRefused(reply, 'INVALID_REQUEST_PARAMETER', told);
  });
}
