import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLogo } from '../../../src/domain/accounts/logo.ts';
import { images } from '../../support/images.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { accountId } = await service.createAccount({ logo: images.png });
const bare = await service.createAccount({});
const { digest } = checkLogo(images.png);

const unknown: ReadonlyArray<readonly [what: string, path: string]> = [
  ['an account without a logo', `${bare.accountId}/${digest}`],
  ['an account that does not exist', `acc_0000000000000000/${digest}`],
  ['the digest of another image', `${accountId}/${checkLogo(images.jpeg).digest}`],
  ['a digest in upper case', `${accountId}/${digest.toUpperCase()}`],
  ['a part of the digest', `${accountId}/${digest.slice(1)}`],
  ['a wildcard', `${accountId}/%25`],
  ['a byte that no text of the database can hold', `${accountId}/%00`],
  ['an account id with such a byte', `acc_000000000000000%00/${digest}`],
];
for (const [what, path] of unknown) {
  test(`${what} has no logo: 404, and nothing stores that reply`, async () => {
    const reply = await service.call(`/checkout/logo/${path}`);
    assert.equal(reply.status, 404);
    assert.equal(reply.body.error.svc_error_code, 'NOT_FOUND');
    assert.equal(reply.body.error.svc_merchant_message, 'The account has no such logo.');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  });
}

test('a logo supports GET and HEAD only', async () => {
  const path = `/checkout/logo/${accountId}/${digest}`;
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const reply = await service.call(path, { method });
    assert.equal(reply.status, 405, method);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD');
  }
  const head = await fetch(`${service.baseUrl}${path}`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get('content-type'), 'image/png');
  assert.equal((await head.arrayBuffer()).byteLength, 0);
});
