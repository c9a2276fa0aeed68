/** A new secret is valid immediately, and tokens end with the secret they were issued for. Contract 2.6 and 2.7. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SecretKind } from '../../src/domain/accounts/account.ts';
import { commandLine } from '../../src/domain/audit.ts';
import { createServices } from '../../src/process/create-services.ts';
import { sealPayload } from '../../src/security/sealed-payload.ts';
import { generateToken } from '../../src/use-cases/accounts/generate-token.ts';
import { rotateSecret } from '../../src/use-cases/accounts/rotate-secret.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { sendGateway, sendPartner } from '../support/deliveries.ts';
import { orderBody } from '../support/order-bodies.ts';
import {
  type Reply,
  startTestService,
  type TestAccount,
  testMasterKeyHex,
} from '../support/test-service.ts';
import { assertRefused, assertWebhookRefused } from './assertions.ts';
import { listRoutes, requestTo } from './routes.ts';
import { captureOf, gatewayPaymentOf } from './webhooks/shop.ts';

const service = await startTestService();
/** Rotates without the caches of the service, as the command line does in its own process. */
const operator = createServices({
  database: service.database,
  masterKeyHex: testMasterKeyHex,
  settings: { publicUrl: 'http://service.test', orderLapseSeconds: 3600 },
  clock: service.services.clock,
});

test('a merchant token is refused on every route within a second after its secret has ended', async () => {
  const account = await service.createAccount();
  const { token } = await generate(account);
  assert.equal((await create(token)).status, 200);
  const { secret } = await rotate(account, 'access-secret', 0);
  await waitUntil('the token is refused', async () => (await create(token)).status === 401, 1.5);
  for (const route of await listRoutes(service)) {
    if (!route.guarded) continue;
    const { target, method, body } = requestTo(route, { order_id: 'o_0123456789abcdef' });
    const path = target.replace('{account_id}', account.accountId);
    const reply = await service.call(path, { method, token, ...(body && { body }) });
    if (route.isWebhook) assertWebhookRefused(reply, 401);
    else assertRefused(reply, 'INVALID_TOKEN', 'get a new token with the current secret');
  }
  const renewed = await generate(account, secret);
  assert.equal((await create(renewed.token)).status, 200);
});

test('a token of the old secret lives through the overlap and ends with it', async () => {
  const account = await service.createAccount();
  const { token } = await generate(account);
  const { secret } = await rotate(account, 'access-secret', 600);
  assert.equal((await create(token)).status, 200);
  service.advanceSeconds(590);
  assert.equal((await create(token)).status, 200);
  service.advanceSeconds(11);
  await waitUntil('it has ended', async () => (await create(token)).status === 401, 1.5);
  assert.equal((await create((await generate(account, secret)).token)).status, 200);
});

test('a rotation without overlap also ends secrets that were still in overlap', async () => {
  const account = await service.createAccount();
  const first = await generate(account);
  const { secret: second } = await rotate(account, 'access-secret', 86_400);
  const middle = await generate(account, second);
  const { secret: third } = await rotate(account, 'access-secret', 0);
  await waitUntil('it is seen', async () => (await create(first.token)).status === 401, 1.5);
  assert.equal((await create(middle.token)).status, 401);
  for (const [secret, status] of [
    [account.accessSecret, 401],
    [second, 401],
    [third, 200],
  ] as const) {
    assert.equal((await tryToGenerate(account, secret)).status, status);
  }
});

test('a new access secret is valid immediately, and so is its token', async () => {
  const account = await service.createAccount();
  await generate(account);
  const { secret } = await rotate(account, 'access-secret', 3600);
  const { token } = await generate(account, secret);
  assert.equal((await create(token)).status, 200);
});

test('a token that another process issued for a new secret is valid immediately', async () => {
  const account = await service.createAccount();
  assert.equal((await create(account.token)).status, 200);
  const { secret } = await rotate(account, 'access-secret', 3600);
  const { accessKey } = account;
  const { token } = await generateToken(operator, { accessKey, accessSecret: secret });
  assert.equal((await create(token)).status, 200);
});

test('fifty concurrent calls with a new secret all succeed', async () => {
  const account = await service.createAccount();
  await generate(account);
  const { secret } = await rotate(account, 'access-secret', 3600);
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => tryToGenerate(account, secret)),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
});

test('a body sealed with a new secret opens immediately', async () => {
  const account = await service.createAccount({ encryptedPayloads: true });
  assert.equal((await create(account.token)).status, 200);
  const { secret } = await rotate(account, 'access-secret', 3600);
  const encrypted_payload = sealPayload(JSON.stringify(orderBody()), secret);
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: { encrypted_payload },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
});

test('a new webhook secret is valid immediately, at either provider', async () => {
  const account = await service.createAccount();
  const order = (await create(account.token)).body;
  assert.equal((await sendPartner(service, account, captureOf(order))).status, 200);
  assert.equal((await sendGateway(service, account, gatewayPaymentOf(order))).status, 200);
  const partner = await rotate(account, 'partner-webhook-secret', 3600);
  const gateway = await rotate(account, 'bank-gateway-secret', 3600);
  const renewed = {
    ...account,
    partnerWebhookSecret: partner.secret,
    bankGatewaySecret: gateway.secret,
  };
  const next = (await create(account.token)).body;
  assert.equal((await sendPartner(service, renewed, captureOf(next))).status, 200);
  service.advanceSeconds(1);
  await delayOfReads();
  assert.equal((await sendGateway(service, renewed, gatewayPaymentOf(next))).status, 200);
});

test('wrong credentials read the database at most once a second, however many there are', async () => {
  const account = await service.createAccount();
  await generate(account);
  const statements = await countAccountReads(async () => {
    for (let round = 0; round < 5; round += 1) {
      const wrong = Array.from({ length: 20 }, () => tryToGenerate(account, 'access_secret_wrong'));
      for (const { status } of await Promise.all(wrong)) assert.equal(status, 401);
    }
  });
  assert.ok(statements <= 4, `${statements} reads for a hundred bad proofs`);
});

/** The limit of one read a second follows the machine's clock, which a test cannot set. */
async function delayOfReads(): Promise<void> {
  const startedAt = performance.now();
  await waitUntil('the second is over', async () => performance.now() - startedAt > 1_050, 3);
}

async function countAccountReads(action: () => Promise<void>): Promise<number> {
  const { database } = service.services;
  const query = database.query;
  let reads = 0;
  Object.assign(database, {
    query: (statement: { name?: string }) => {
      if (statement.name === 'find-account') reads += 1;
      return query(statement as never);
    },
  });
  try {
    await action();
  } finally {
    Object.assign(database, { query });
  }
  return reads;
}

function rotate({ accountId }: TestAccount, kind: SecretKind, overlapSeconds: number) {
  return rotateSecret(operator, accountId, kind, overlapSeconds, commandLine);
}

function create(token: string): Promise<Reply> {
  return service.call('/api/v3/create-order', { token, body: orderBody() });
}

function tryToGenerate({ accessKey }: TestAccount, access_secret: string): Promise<Reply> {
  return service.call('/api/v3/generate-token', { body: { access_key: accessKey, access_secret } });
}

async function generate(
  account: TestAccount,
  accessSecret = account.accessSecret,
): Promise<{ readonly token: string }> {
  const reply = await tryToGenerate(account, accessSecret);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}
