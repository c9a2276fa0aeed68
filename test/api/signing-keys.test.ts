import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/domain/audit.ts';
import { rotateSigningKey } from '../../src/use-cases/accounts/rotate-keys.ts';
import { startTestService } from '../support/test-service.ts';
import { assertRefused } from './assertions.ts';

const service = await startTestService();
const account = await service.createAccount();
const credentials = { access_key: account.accessKey, access_secret: account.accessSecret };

test('tokens of an earlier signing key are accepted during the overlap and refused after it', async () => {
  const former = account.token;
  const { keyId } = await rotateSigningKey(service.services, 600, commandLine);
  service.advanceSeconds(5);
  const { body } = await service.call('/api/v3/generate-token', { body: credentials });
  await untilSignedBy(keyId);
  assert.equal(await ask(former), 404);
  assert.equal(await ask(body.token), 404);

  service.advanceSeconds(600);
  const reply = await service.call('/api/v3/order?invoice_id=none', { token: former });
  assertRefused(reply, 'INVALID_TOKEN');
  const fresh = await service.call('/api/v3/generate-token', { body: credentials });
  assert.equal(await ask(fresh.body.token), 404);
});

/** 404 for an unknown invoice: the token was accepted. */
async function ask(token: string): Promise<number> {
  return (await service.call('/api/v3/order?invoice_id=none', { token })).status;
}

/** Keys are read again after at most a second. */
async function untilSignedBy(keyId: string): Promise<void> {
  const deadline = Date.now() + 3_000;
  for (;;) {
    const { body } = await service.call('/api/v3/generate-token', { body: credentials });
    const [header = ''] = String(body.token).split('.');
    if (JSON.parse(Buffer.from(header, 'base64url').toString()).kid === keyId) return;
    assert.ok(Date.now() < deadline, 'the new key signs');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
