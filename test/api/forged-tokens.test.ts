import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { orderBody } from '../support/order-bodies.ts';
import { dumpTables } from '../support/test-database.ts';
import { startTestService } from '../support/test-service.ts';
import { assertRefused, assertWebhookRefused, claimsOf } from './assertions.ts';
import { listRoutes, requestTo } from './routes.ts';

type Json = Record<string, unknown>;

const service = await startTestService();
const [account, other] = [await service.createAccount(), await service.createAccount()];
const { body: order } = await service.call('/api/v3/create-order', {
  token: account.token,
  body: orderBody(),
});
const routes = (await listRoutes(service)).filter(({ guarded }) => guarded);

const header = JSON.parse(Buffer.from(account.token.split('.')[0] ?? '', 'base64url').toString());
const claims = claimsOf(account.token);
const key = service.services.masterKeys.current().deriveSigningKey(header.kid);
const now = Math.floor(Date.now() / 1000);
const [head, payload, signature] = account.token.split('.') as [string, string, string];
const claimsOfOther = { ...claims, sub: other.accountId };

const forged: [name: string, authorization: string, code: ErrorCode][] = [
  [
    'the algorithm none',
    bearer(`${encode({ ...header, alg: 'none' })}.${payload}.`),
    'INVALID_TOKEN',
  ],
  [
    'none with a signature',
    bearer(`${encode({ ...header, alg: 'none' })}.${payload}.${signature}`),
    'INVALID_TOKEN',
  ],
  [
    'another algorithm of the same key',
    bearer(sign({ ...header, alg: 'HS512' }, claims, key, 'sha512')),
    'INVALID_TOKEN',
  ],
  ['no algorithm', bearer(sign({ ...header, alg: undefined }, claims)), 'INVALID_TOKEN'],
  ['another key', bearer(sign(header, claims, randomBytes(32))), 'INVALID_TOKEN'],
  ['an empty key', bearer(sign(header, claims, Buffer.alloc(0))), 'INVALID_TOKEN'],
  [
    'the name of the key as key',
    bearer(sign(header, claims, Buffer.from(header.kid))),
    'INVALID_TOKEN',
  ],
  ['a refresh token', bearer(order.refresh_token), 'INVALID_TOKEN'],
  [
    'an expired token',
    bearer(sign(header, { ...claims, iat: now - 1201, exp: now - 1 })),
    'TOKEN_EXPIRED',
  ],
  [
    'a token of the future',
    bearer(sign(header, { ...claims, iat: now + 3600, exp: now + 4800 })),
    'INVALID_TOKEN',
  ],
  ['an altered payload', bearer(`${head}.${encode(claimsOfOther)}.${signature}`), 'INVALID_TOKEN'],
  [
    'an altered signature',
    bearer(`${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
    'INVALID_TOKEN',
  ],
  ['no signature', bearer(`${head}.${payload}.`), 'INVALID_TOKEN'],
  ['two parts', bearer(`${head}.${payload}`), 'INVALID_TOKEN'],
  ['four parts', bearer(`${account.token}.${signature}`), 'INVALID_TOKEN'],
  ['no kid', bearer(sign({ ...header, kid: undefined }, claims)), 'INVALID_TOKEN'],
  ['an unknown kid', bearer(sign({ ...header, kid: 'key_0' }, claims)), 'INVALID_TOKEN'],
  [
    'a kid that is no text',
    bearer(sign({ ...header, kid: [header.kid] }, claims)),
    'INVALID_TOKEN',
  ],
  ['another issuer', bearer(sign(header, { ...claims, iss: 'somebody' })), 'INVALID_TOKEN'],
  ['no issuer', bearer(sign(header, { ...claims, iss: undefined })), 'INVALID_TOKEN'],
  ['no account', bearer(sign(header, { ...claims, sub: undefined })), 'INVALID_TOKEN'],
  [
    'an account that is no text',
    bearer(sign(header, { ...claims, sub: { like: '%' } })),
    'INVALID_TOKEN',
  ],
  ['no token type', bearer(sign(header, { ...claims, token_type: undefined })), 'INVALID_TOKEN'],
  [
    'an unknown token type',
    bearer(sign(header, { ...claims, token_type: 'admin' })),
    'INVALID_TOKEN',
  ],
  [
    'an order token of no order',
    bearer(sign(header, { ...claims, token_type: 'order' })),
    'INVALID_TOKEN',
  ],
  ['no expiry', bearer(sign(header, { ...claims, exp: undefined })), 'INVALID_TOKEN'],
  [
    'an expiry that is no number',
    bearer(sign(header, { ...claims, exp: '9999999999' })),
    'INVALID_TOKEN',
  ],
  ['no time of issue', bearer(sign(header, { ...claims, iat: undefined })), 'INVALID_TOKEN'],
  ['claims that are no object', bearer(sign(header, [claims])), 'INVALID_TOKEN'],
  ['garbage', bearer('garbage'), 'INVALID_TOKEN'],
  ['an empty token', 'Bearer ', 'AUTHENTICATION_FAILED'],
  ['an empty header', '', 'AUTHENTICATION_FAILED'],
  ['the Basic scheme', `Basic ${account.token}`, 'AUTHENTICATION_FAILED'],
  [
    'credentials in the Basic scheme',
    `Basic ${Buffer.from(`${account.accessKey}:${account.accessSecret}`).toString('base64')}`,
    'AUTHENTICATION_FAILED',
  ],
  ['no scheme', account.token, 'AUTHENTICATION_FAILED'],
];

test("a token made by hand like the service's own is accepted, so only the forgery causes a refusal", async () => {
  const token = sign(header, { ...claims, iat: now, exp: now + 60 });
  const reply = await service.call(`/api/v3/order?order_id=${order.order_id}`, { token });
  assert.equal(reply.status, 200);
  assert.ok(routes.length >= 2, 'the service lists its guarded routes');
});

for (const route of routes) {
  test(`${route.method} ${route.path} refuses every forged token and changes nothing`, async () => {
    const before = await dumpTables(service.database);
    for (const [name, authorization, code] of forged) {
      const { target, method, body } = requestTo(route, {
        ...orderBody(),
        order_id: order.order_id,
      });
      const reply = await service.call(target, { method, body, headers: { authorization } });
      assert.equal(reply.status, 401, `${name}: ${JSON.stringify(reply.body)}`);
      if (route.isWebhook) assertWebhookRefused(reply, 401);
      else assertRefused(reply, code, /./);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer', name);
    }
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

function bearer(token: string): string {
  return `Bearer ${token}`;
}

function sign(jwtHeader: Json, jwtClaims: unknown, secret = key, hash = 'sha256'): string {
  const signed = `${encode(jwtHeader)}.${encode(jwtClaims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
