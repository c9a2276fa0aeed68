import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { dumpTables } from '../../support/test-database.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const [account, other] = [await service.createAccount(), await service.createAccount()];
const { accessKey, accessSecret } = account;

const wrong: [name: string, accessKey: string, accessSecret: string][] = [
  ['a wrong secret', accessKey, `access_secret_${'0'.repeat(40)}`],
  ['an unknown key', `access_key_${'0'.repeat(16)}`, accessSecret],
  ['a key of another shape', 'key', accessSecret],
  ['the key of another account', other.accessKey, accessSecret],
  ['the secret of another kind', accessKey, account.partnerWebhookSecret],
  ['a secret cut short', accessKey, accessSecret.slice(0, -1)],
  ['a secret with more', accessKey, `${accessSecret}0`],
  ['a secret without its prefix', accessKey, accessSecret.replace('access_secret_', '')],
  ['a secret in capitals', accessKey, accessSecret.toUpperCase()],
  ['the secret of no account', `access_key_${'0'.repeat(16)}`, 'access_secret_of_no_account'],
  ['the account id as key', account.accountId, accessSecret],
  ['a key with a line end', `${accessKey}\n`, accessSecret],
];
test('wrong credentials get the same answer, whatever is wrong with them', async () => {
  const before = await dumpTables(service.database);
  for (const [name, key, secret] of wrong) {
    const reply = await generate(key, secret);
    assert.equal(reply.status, 401, name);
    assertRefused(reply, 'AUTHENTICATION_FAILED', /^access_key and access_secret/);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    assert.deepEqual(reply.body, (await generate(accessKey, 'wrong')).body, name);
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

/** Last in this file: it moves the clock. */
test('a rotated secret ends with its overlap, while the new one stays valid', async () => {
  const { secret } = await rotateSecret(
    service.services,
    account.accountId,
    'access-secret',
    3600,
    commandLine,
  );
  await waitUntil(
    'the new secret is known',
    async () => (await generate(accessKey, secret)).status === 200,
  );
  service.advanceSeconds(3600 - 30);
  assert.equal((await generate(accessKey, accessSecret)).status, 200);
  service.advanceSeconds(31);
  assertRefused(await generate(accessKey, accessSecret), 'AUTHENTICATION_FAILED', /do not belong/);
  assert.equal((await generate(accessKey, secret)).status, 200);

  const second = await rotateSecret(
    service.services,
    account.accountId,
    'access-secret',
    0,
    commandLine,
  );
  await waitUntil(
    'the old secret is refused',
    async () => (await generate(accessKey, secret)).status === 401,
  );
  assert.equal((await generate(accessKey, second.secret)).status, 200);
});

function generate(access_key: string, access_secret: string): Promise<Reply> {
  return service.call('/api/v3/generate-token', { body: { access_key, access_secret } });
}
