import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount();

const noBearer: [string, Record<string, string>][] = [
  ['no Authorization', {}],
  ['an empty Authorization', { authorization: '' }],
  ['a scheme without a token', { authorization: 'Bearer' }],
  ['a token without a scheme', { authorization: account.token }],
  ['the Basic scheme', { authorization: `Basic ${account.token}` }],
  ['two tokens', { authorization: `Bearer ${account.token} ${account.token}` }],
];
for (const [name, headers] of noBearer) {
  test(`a create with ${name} is answered 401`, async () => {
    const reply = await service.call('/api/v3/create-order', { headers, body: orderBody() });
    assertRefused(reply, 'AUTHENTICATION_FAILED', 'Authorization: Bearer');
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
  });
}

test('the scheme is case-insensitive', async () => {
  const reply = await service.call('/api/v3/create-order', {
    headers: { authorization: `bEARER ${account.token}` },
    body: orderBody(),
  });
  assert.equal(reply.status, 200);
});

test('a caller is authorised before any of the body is read', async () => {
  const before = await dumpTables(service.database);
  for (const body of ['{not json', '[]', new Uint8Array([0xff]), 'x'.repeat(300 * 1024)]) {
    const reply = await service.call('/api/v3/create-order', { token: 'x.y.z', body });
    assertRefused(reply, 'INVALID_TOKEN');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('the token of an account that does not exist is refused', async () => {
  const { token } = await issueMerchantToken(service.services, 'acc_0000000000000000');
  assertRefused(
    await service.call('/api/v3/create-order', { token, body: orderBody() }),
    'INVALID_TOKEN',
  );
});

/** Last in this file: it moves the clock. */
test('a merchant token works for twenty minutes and no longer', async () => {
  const { token } = await issueMerchantToken(service.services, account.accountId);
  service.advanceSeconds(20 * 60 - 30);
  const inTime = await service.call('/api/v3/create-order', {
    token,
    body: orderBody(),
  });
  assert.equal(inTime.status, 200);
  service.advanceSeconds(31);
  const late = await service.call('/api/v3/create-order', {
    token,
    body: orderBody(),
  });
  assertRefused(late, 'TOKEN_EXPIRED');
});
