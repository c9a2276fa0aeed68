import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../../src/domain/limits.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const { accessKey, accessSecret } = await service.createAccount();
const tooLarge = 'The request body is larger than 8 KiB: send less.';

test('a body of exactly 8 KiB is read', async () => {
  const body = bodyOf(limits.publicBodyBytesMax);
  assert.equal(body.length, 8 * 1024);
  const reply = await service.call('/api/v3/generate-token', { body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
});

test('one byte more is refused', async () => {
  const body = bodyOf(limits.publicBodyBytesMax + 1);
  const reply = await service.call('/api/v3/generate-token', { body });
  assertRefused(reply, 'PAYLOAD_TOO_LARGE', tooLarge);
});

test('a body that does not say its length is refused all the same', async () => {
  const response = await fetch(`${service.baseUrl}/api/v3/generate-token`, {
    method: 'POST',
    body: new Blob([bodyOf(limits.publicBodyBytesMax + 1)]).stream(),
    duplex: 'half',
  } as RequestInit);
  const { status, headers } = response;
  assertRefused({ status, headers, body: await response.json() }, 'PAYLOAD_TOO_LARGE', tooLarge);
});

/** Valid credentials in so many bytes: an unknown field fills the rest. */
function bodyOf(bytes: number): string {
  const fields = { access_key: accessKey, access_secret: accessSecret, filler: '' };
  const filler = 'x'.repeat(bytes - JSON.stringify(fields).length);
  return JSON.stringify({ ...fields, filler });
}
