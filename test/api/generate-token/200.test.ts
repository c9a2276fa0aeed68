import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { type Reply, startTestService } from '../../support/test-service.ts';
import { claimsOf } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

test('an access key and its secret are exchanged for a merchant token of twenty minutes', async () => {
  const reply = await generate(account.accessKey, account.accessSecret);
  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.body).sort(), ['expires_at', 'token']);
  const { sub, token_type, iss, iat, exp, order_id } = claimsOf(reply.body.token);
  assert.deepEqual(
    { sub, token_type, iss, order_id },
    {
      sub: account.accountId,
      token_type: 'merchant',
      iss: 'payment-order-service',
      order_id: undefined,
    },
  );
  assert.equal(Number(exp) - Number(iat), 20 * 60);
  assert.equal(reply.body.expires_at, new Date(Number(exp) * 1000).toISOString());
});

test('the token creates orders of its account', async () => {
  const { body } = await generate(account.accessKey, account.accessSecret);
  const created = await service.call('/api/v3/create-order', {
    token: body.token,
    body: orderBody(),
  });
  assert.equal(created.status, 200);
  const owner = claimsOf(created.body.token).sub;
  assert.equal(owner, account.accountId);
});

test('an Authorization header is neither required nor read', async () => {
  const reply = await service.call('/api/v3/generate-token', {
    token: 'not.a.token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: { access_key: account.accessKey, access_secret: account.accessSecret, more: 1 },
  });
  assert.equal(reply.status, 200);
});

test('during the overlap of a rotation the old and the new secret both work', async () => {
  const rotating = await service.createAccount();
  assert.equal((await generate(rotating.accessKey, rotating.accessSecret)).status, 200);
  const { accountId } = rotating;
  const rotated = await rotateSecret(
    service.services,
    accountId,
    'access-secret',
    3600,
    commandLine,
  );
  await waitUntil(
    'the new secret is accepted',
    async () => (await generate(rotating.accessKey, rotated.secret)).status === 200,
  );
  assert.equal((await generate(rotating.accessKey, rotating.accessSecret)).status, 200);
});

function generate(access_key: string, access_secret: string): Promise<Reply> {
  return service.call('/api/v3/generate-token', { body: { access_key, access_secret } });
}
