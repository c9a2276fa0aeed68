import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLogo } from '../../../src/domain/accounts/logo.ts';
import { commandLine } from '../../../src/domain/audit.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { images, pngOf } from '../../support/images.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();

for (const [format, bytes] of Object.entries({ ...images, largest: pngOf(65_536) })) {
  test(`the logo of a shop is served as it was stored: ${format}`, async () => {
    const { accountId } = await service.createAccount({ logo: bytes });
    const { digest, mediaType } = checkLogo(bytes);
    const { status, headers, body } = await get(accountId, digest);
    assert.equal(status, 200);
    assert.deepEqual(body, bytes);
    const named = [
      'content-type',
      'content-length',
      'cache-control',
      'x-content-type-options',
      'content-security-policy',
      'cross-origin-resource-policy',
      'access-control-allow-origin',
      'set-cookie',
    ];
    assert.deepEqual(Object.fromEntries(named.map((name) => [name, headers.get(name)])), {
      'content-type': mediaType,
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'access-control-allow-origin': null,
      'set-cookie': null,
    });
  });
}

test('a new logo is served at once, and the former one no longer', async () => {
  const { accountId } = await service.createAccount({ logo: images.png });
  const [before, after] = [checkLogo(images.png), checkLogo(images.jpeg)];
  assert.equal((await get(accountId, before.digest)).status, 200);
  await updateAccount(service.services, accountId, () => ({}), commandLine, { logo: images.jpeg });
  assert.equal((await get(accountId, after.digest)).status, 200);
  assert.equal((await get(accountId, before.digest)).status, 404);
});

test('two shops may have the same logo, and each keeps its own', async () => {
  const one = await service.createAccount({ logo: images.png });
  const other = await service.createAccount({ logo: images.png });
  const { digest } = checkLogo(images.png);
  await updateAccount(service.services, one.accountId, () => ({}), commandLine, { logo: null });
  assert.equal((await get(one.accountId, digest)).status, 404);
  assert.equal((await get(other.accountId, digest)).status, 200);
});

async function get(accountId: string, digest: string) {
  const response = await fetch(`${service.baseUrl}/checkout/logo/${accountId}/${digest}`);
  const { status, headers } = response;
  return { status, headers, body: Buffer.from(await response.arrayBuffer()) };
}
