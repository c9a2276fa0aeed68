import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { createMetrics } from '../../../src/http/operator/metrics.ts';
import { buildApp } from '../../../src/process/app.ts';
import { createLog } from '../../../src/process/log.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { signPartner } from '../../support/deliveries.ts';
import { dumpTables } from '../../support/test-database.ts';
import type { Call, Reply } from '../../support/test-service.ts';
import { assertWebhookRefused } from '../assertions.ts';
import { sendBytes } from '../raw-http.ts';
import { assertInvariants, captureOf, gatewayPaymentOf, openShop, shopOf } from './shop.ts';

const shop = await openShop();
const { service, account } = shop;
const stranger = await service.createAccount();
const order = await shop.createOrder();

const partnerPath = `/api/v3/webhooks/partner/${account.accountId}`;
const gatewayPath = `/api/v3/webhooks/bank-gateway/${account.accountId}`;
/** The partner escapes slashes, which are lost when the body is parsed and written again. */
const partnerBody = JSON.stringify(captureOf(order, { description: 'a/b é' })).replaceAll(
  '/',
  '\\/',
);
const gatewayBytes = JSON.stringify(gatewayPaymentOf(order));
const signature = signPartner(partnerBody, account.partnerWebhookSecret);
const unknownPath = '/api/v3/webhooks/partner/acc_0000000000000000';

const refused: [name: string, path: string, call: Call][] = [
  ['no authentication', partnerPath, { body: partnerBody }],
  ['no authentication and no account', '/api/v3/webhooks/partner', { body: partnerBody }],
  ['a signature and no account', '/api/v3/webhooks/partner', signed(signature)],
  ['an empty signature', partnerPath, signed('')],
  ['a signature of zeros', partnerPath, signed('0'.repeat(64))],
  ['a signature that is cut off', partnerPath, signed(signature.slice(0, 63))],
  ['a signature with more behind it', partnerPath, signed(`${signature}00`)],
  [
    'a changed byte',
    partnerPath,
    { ...signed(signature), body: partnerBody.replace('11800', '11801') },
  ],
  [
    'a body that was parsed and written again',
    partnerPath,
    { ...signed(signature), body: JSON.stringify(JSON.parse(partnerBody)) },
  ],
  ['a body with a line end more', partnerPath, { ...signed(signature), body: `${partnerBody}\n` }],
  [
    'the signature of another account',
    partnerPath,
    signed(signPartner(partnerBody, stranger.partnerWebhookSecret)),
  ],
  [
    'a signature under another secret of the account',
    partnerPath,
    signed(signPartner(partnerBody, account.bankGatewaySecret)),
  ],
  [
    "the account's signature on another account's path",
    `/api/v3/webhooks/partner/${stranger.accountId}`,
    signed(signature),
  ],
  ['an unknown account', unknownPath, signed(signature)],
  ['an unknown account with a valid bearer', unknownPath, bearer(account.token)],
  ['an account id that is none', '/api/v3/webhooks/partner/x', signed(signature)],
  [
    'a wrong signature beside a valid bearer',
    partnerPath,
    { ...signed('0'.repeat(64)), token: account.token },
  ],
  [
    'a wrong signature beside a valid bearer, without account id',
    '/api/v3/webhooks/partner',
    { ...signed('0'.repeat(64)), token: account.token },
  ],
  [
    'an empty signature beside a valid bearer',
    partnerPath,
    { ...signed(''), token: account.token },
  ],
  ['the bearer of another account', partnerPath, bearer(stranger.token)],
  ["the order's own token", partnerPath, bearer(order.token)],
  ["the order's own token, without account id", '/api/v3/webhooks/partner', bearer(order.token)],
  ['a bearer that is no token', partnerPath, bearer('nonsense')],
  ["the gateway's secret for the partner", partnerPath, known(account.bankGatewaySecret)],
  ['no authentication, gateway', gatewayPath, { body: gatewayBytes }],
  [
    'a secret and no account, gateway',
    '/api/v3/webhooks/bank-gateway',
    known(account.bankGatewaySecret),
  ],
  ['an empty secret', gatewayPath, known('')],
  ['a wrong secret', gatewayPath, known('wrong')],
  ['a secret that is cut off', gatewayPath, known(account.bankGatewaySecret.slice(0, -1))],
  ['a secret with more behind it', gatewayPath, known(`${account.bankGatewaySecret}x`)],
  ['the secret of another account', gatewayPath, known(stranger.bankGatewaySecret)],
  ["the partner's secret for the gateway", gatewayPath, known(account.partnerWebhookSecret)],
  [
    'a wrong secret beside a valid bearer',
    gatewayPath,
    { ...known('wrong'), token: account.token },
  ],
  [
    'the bearer of another account, gateway',
    gatewayPath,
    { ...bearer(stranger.token), body: gatewayBytes },
  ],
  ["the order's own token, gateway", gatewayPath, { ...bearer(order.token), body: gatewayBytes }],
];
for (const [name, path, call] of refused) {
  test(`${name} is answered 401 and nothing is stored`, async () => {
    const before = await dumpTables(service.database);
    const reply = await service.call(path, call);
    assertWebhookRefused(reply, 401);
    assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
    assert.deepEqual(await dumpTables(service.database), before);
  });
}

test('the same bytes with the right proof are accepted', async () => {
  const one = await service.call(partnerPath, signed(signature));
  const two = await service.call(gatewayPath, known(account.bankGatewaySecret));
  assert.deepEqual([one.body.status, two.body.status], ['processed', 'needs_review']);
});

test('a refusal is counted, and nothing of it is stored', async () => {
  const metrics = createMetrics();
  const app = await buildApp({
    services: service.services,
    metrics,
    log: createLog('silent'),
    checkReadiness: async () => ({ missing: [], late: [] }),
    renderMetrics: async () => ({ contentType: 'text/plain', text: '' }),
  });
  await app.inject({ method: 'POST', url: partnerPath, payload: partnerBody });
  const { values } = await metrics.authenticationFailures.get();
  assert.deepEqual(values, [
    { value: 1, labels: { route: '/api/v3/webhooks/partner/:account_id' } },
  ]);
  await app.close();
});

const withoutCredentials: [name: string, path: string, lines: readonly string[]][] = [
  ['partner', partnerPath, []],
  ['partner, of no account', '/api/v3/webhooks/partner', []],
  ['partner, an account that does not exist', unknownPath, []],
  ['partner, with basic authentication', partnerPath, ['Authorization: Basic YTpi']],
  ['partner, with a bearer that is empty', partnerPath, ['Authorization: Bearer ']],
  ['partner, with the header of the gateway', partnerPath, ['X-Notification-Secret: a']],
  ['bank gateway', gatewayPath, []],
  ['bank gateway, with the header of the partner', gatewayPath, ['X-Razorpay-Signature: a']],
];
for (const [name, path, lines] of withoutCredentials) {
  test(`${name}: without credentials 401 is sent before the body arrives`, async () => {
    const refusal = await service.call(path, { body: partnerBody });
    for (const length of ['Content-Length: 1000000000', 'Transfer-Encoding: chunked']) {
      const head = [`POST ${path} HTTP/1.1`, 'Host: x', 'Connection: close', length, ...lines];
      const reply = await sendBytes(service.baseUrl, `${head.join('\r\n')}\r\n\r\n`);
      assertWebhookRefused(reply, 401, /Sign the delivery/);
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(reply.body, refusal.body);
    }
  });
}

const withCredentials: [name: string, line: string][] = [
  ['a signature, right or wrong', `X-Razorpay-Signature: ${'0'.repeat(64)}`],
  ['an empty signature', 'X-Razorpay-Signature: '],
  ['a bearer, right or wrong', 'Authorization: Bearer nonsense'],
];
for (const [name, line] of withCredentials) {
  test(`with ${name} the body is read first`, async () => {
    const head = `POST ${partnerPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${line}\r\n`;
    const reply = await sendBytes(service.baseUrl, `${head}Content-Length: 1000000000\r\n\r\n`);
    assertWebhookRefused(reply, 413);
  });
}

test('another method on the path is still answered 405', async () => {
  assertWebhookRefused(await service.call(partnerPath, { method: 'PUT', body: '{}' }), 405);
});

test('an expired bearer is answered 401', async () => {
  const late = shopOf(service, await service.createAccount());
  const { order_id } = await late.createOrder();
  const token = await late.freshToken();
  service.advanceSeconds(21 * 60);
  const reply = await service.call('/api/v3/webhooks/partner', {
    token,
    body: captureOf({ order_id }),
  });
  assertWebhookRefused(reply, 401);
  assert.deepEqual(await late.listDeliveries(), []);
});

test('during a rotation both webhook secrets are accepted, afterwards only the new one', async () => {
  const rotated = shopOf(service, await service.createAccount());
  const { accountId, partnerWebhookSecret, bankGatewaySecret } = rotated.account;
  const day = 24 * 3600;
  const partner = await rotateSecret(
    service.services,
    accountId,
    'partner-webhook-secret',
    day,
    commandLine,
  );
  const gateway = await rotateSecret(
    service.services,
    accountId,
    'bank-gateway-secret',
    day,
    commandLine,
  );
  const statuses = async () => {
    const replies: Reply[] = [];
    for (const secret of [partnerWebhookSecret, partner.secret]) {
      const body = JSON.stringify(captureOf(await rotated.createOrder()));
      const headers = { 'x-razorpay-signature': signPartner(body, secret) };
      replies.push(await service.call(`/api/v3/webhooks/partner/${accountId}`, { body, headers }));
    }
    for (const secret of [bankGatewaySecret, gateway.secret]) {
      const body = gatewayPaymentOf(await rotated.createOrder());
      const headers = { 'x-notification-secret': secret };
      replies.push(
        await service.call(`/api/v3/webhooks/bank-gateway/${accountId}`, { body, headers }),
      );
    }
    return replies.map(({ status }) => status);
  };

  assert.deepEqual(await statuses(), [200, 200, 200, 200], 'at once');
  service.advanceSeconds(day - 60);
  assert.deepEqual(await statuses(), [200, 200, 200, 200], 'just before the end');
  service.advanceSeconds(120);
  assert.deepEqual(await statuses(), [401, 200, 401, 200], 'after the end');
  assert.equal((await rotated.listDeliveries()).length, 10);
});

test('a rotation is seen by a running service within about a second', async () => {
  const rotated = shopOf(service, await service.createAccount());
  const { accountId } = rotated.account;
  const body = JSON.stringify(captureOf(await rotated.createOrder()));
  const { secret } = await rotateSecret(
    service.services,
    accountId,
    'partner-webhook-secret',
    0,
    commandLine,
  );
  const send = () =>
    service.call(`/api/v3/webhooks/partner/${accountId}`, {
      body,
      headers: { 'x-razorpay-signature': signPartner(body, secret) },
    });
  const deadline = Date.now() + 5_000;
  let reply = await send();
  while (reply.status === 401 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    reply = await send();
  }
  assert.equal(reply.body.status, 'processed');
  assertWebhookRefused(await rotated.sendPartner(body), 401);
});

test('the invariants hold after all of this', () => assertInvariants(shop));

function signed(value: string): Call {
  return { body: partnerBody, headers: { 'x-razorpay-signature': value } };
}

function known(secret: string): Call {
  return { body: gatewayBytes, headers: { 'x-notification-secret': secret } };
}

function bearer(token: string): Call {
  return { body: partnerBody, token };
}
