import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { findFreePort } from '../../tools/harness/free-port.ts';
import { waitUntil } from '../../tools/harness/wait-until.ts';
import { issueMerchantToken } from '../support/merchant-token.ts';
import { orderBody } from '../support/order-bodies.ts';
import { startTestService, type TestAccount } from '../support/test-service.ts';

const service = await startTestService();
const signature = 'ab'.repeat(32);
const keySecret = 'partner_key_secret_of_the_test';

test('100 refused webhooks of an account make one log line, and the next minute one more with their number', async () => {
  const account = await service.createAccount();
  for (let sent = 0; sent < 100; sent += 1) await sendSigned(account.accountId);
  const reason = 'the signature or secret is wrong';
  const about = { account_id: account.accountId, provider: 'partner', reason };
  assert.deepEqual(linesOf(account), [{ ...refused, ...about, suppressed: 0 }]);

  service.advanceSeconds(25);
  await sendSigned(account.accountId);
  assert.equal(linesOf(account).length, 1, 'before the minute is over');
  service.advanceSeconds(35);
  await sendSigned(account.accountId);
  assert.deepEqual(linesOf(account).slice(1), [{ ...refused, ...about, suppressed: 100 }]);
  assertNothingPrivate();
});

test('each account and each provider has its own log line', async () => {
  const [one, two] = [await service.createAccount(), await service.createAccount()];
  for (const { accountId } of [one, two, one, two]) {
    await sendSigned(accountId);
    await service.call(`/api/v3/webhooks/bank-gateway/${accountId}`, {
      body: {},
      headers: { 'x-notification-secret': signature },
    });
  }
  for (const account of [one, two]) {
    const providers = linesOf(account).map(({ provider }) => provider);
    assert.deepEqual(providers, ['partner', 'bank-gateway']);
  }
});

test('refusals that anybody can cause do not hide other reasons', async () => {
  const account = await service.createAccount();
  await service.call(`/api/v3/webhooks/partner/${account.accountId}`, { body: {} });
  for (let sent = 0; sent < 5; sent += 1) await sendSigned(account.accountId);
  await waitUntil('both are logged', () => linesOf(account).length === 2);
  assert.deepEqual(
    linesOf(account).map(({ reason }) => reason),
    ['no credentials', 'the signature or secret is wrong'],
  );
});

test('the log line gives a short reason for a refused webhook', async () => {
  const stranger = await service.createAccount();
  const body = JSON.stringify({ event: 'payment.captured', note: 'private-note' });
  const reasons: [reason: string, call: { token?: string; headers?: Record<string, string> }][] = [
    ['no credentials', {}],
    ['the bearer is no valid merchant token', { token: `${stranger.token}x` }],
    ['the bearer is of another account', { token: stranger.token }],
  ];
  for (const [reason, call] of reasons) {
    const account = await service.createAccount();
    await service.call(`/api/v3/webhooks/partner/${account.accountId}`, { body, ...call });
    await waitUntil('it is logged', () => linesOf(account).length > 0);
    assert.deepEqual(linesOf(account), [
      { ...refused, account_id: account.accountId, provider: 'partner', reason, suppressed: 0 },
    ]);
  }
  const reader = await service.createAccount();
  const { status } = await service.call('/api/v3/webhooks/partner', { token: reader.token, body });
  assert.equal(status, 400);
  assert.deepEqual(linesOf(reader)[0]?.reason, 'the body cannot be read');
  assertNothingPrivate();
});

test('accounts that do not exist share a log line that names none of them', async () => {
  service.advanceSeconds(60);
  const from = lines().length;
  for (let sent = 0; sent < 30; sent += 1) {
    const accountId = `acc_${String(sent).padStart(16, '0')}`;
    await sendSigned(accountId);
    await service.call(`/api/v3/webhooks/partner/${accountId}`, { body: {} });
    await service.call(`/api/v3/webhooks/partner/${encodeURIComponent(`x\n${sent}`)}`, {
      body: {},
    });
  }
  const reasons = ['the signature or secret is wrong', 'no credentials'];
  assert.deepEqual(
    lines().slice(from),
    reasons.map((reason) => ({ ...refused, provider: 'partner', reason, suppressed: 0 })),
  );
});

test('a provider that cannot be reached makes one log line a minute, with the operation', async () => {
  const account = await openShop(`http://127.0.0.1:${await findFreePort()}`);
  for (let tried = 0; tried < 3; tried += 1) await startPayment(account);
  const [first, ...others] = linesOf(account);
  assert.deepEqual(first, {
    ...failed,
    account_id: account.accountId,
    provider: 'partner',
    operation: 'start-payment',
    outcome: 'not-sent',
    reason: 'the provider cannot be reached',
    suppressed: 0,
  });
  assert.deepEqual(others, []);
  service.advanceSeconds(60);
  // After failures in a row the provider is not called.
  await startPayment(account);
  await startPayment(account);
  const [next, ...more] = linesOf(account).slice(1);
  assert.deepEqual([next?.suppressed, more], [2, []]);
  assertNothingPrivate();
});

test('refused credentials make a log line, other refusals do not', async () => {
  const answers = [400, 401, 403];
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(answers.shift() ?? 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { description: `private words, ${keySecret}` } }));
  });
  server.listen(0, '127.0.0.1');
  after(() => server.close());
  await waitUntil('it listens', () => server.listening);
  const { port } = server.address() as { port: number };
  const account = await openShop(`http://127.0.0.1:${port}`);
  await startPayment(account);
  assert.deepEqual(linesOf(account), []);
  for (const status of [401, 403]) {
    await startPayment(account);
    const { reason, outcome } = linesOf(account).at(-1) ?? {};
    assert.equal(outcome, 'refused');
    assert.equal(reason, `the provider refused the account's keys with HTTP status ${status}`);
    service.advanceSeconds(60);
  }
  assertNothingPrivate();
});

const refused = { level: 'warn', msg: 'a webhook was refused' };
const failed = { level: 'warn', msg: 'a call to a provider failed' };

function sendSigned(accountId: string) {
  return service.call(`/api/v3/webhooks/partner/${accountId}`, {
    body: { event: 'payment.captured', note: 'private-note' },
    headers: { 'x-razorpay-signature': signature },
  });
}

function openShop(url: string): Promise<TestAccount> {
  return service.createAccount({
    providerApis: { partner: { url, login: 'rzp_test_warnings' } },
    apiSecrets: { 'partner-key-secret': keySecret },
  });
}

async function startPayment({ accountId }: TestAccount): Promise<void> {
  const { token } = await issueMerchantToken(service.services, accountId);
  const order = await service.call('/api/v3/create-order', { token, body: orderBody() });
  const { order_id } = order.body;
  const body = { order_id, payment_mode_code: 'upi', upi_id: 'asha@okbank' };
  assert.equal((await service.call('/api/v3/initiate-payment', { token, body })).status, 200);
}

function lines(): Record<string, unknown>[] {
  const texts = service.logText().split('\n').filter(Boolean);
  return texts
    .map((text) => JSON.parse(text))
    .filter(({ level }) => level === 'warn')
    .map(({ time, ...line }) => line);
}

function linesOf({ accountId }: TestAccount): Record<string, unknown>[] {
  return lines().filter(({ account_id }) => account_id === accountId);
}

function assertNothingPrivate(): void {
  for (const text of [signature, keySecret, 'private', 'rzp_test', 'asha@okbank']) {
    assert.equal(service.logText().includes(text), false, text);
  }
  // The beginning alone can be part of a random id.
  assert.doesNotMatch(service.logText(), /eyJ[\w-]+\.eyJ/, 'a token');
}
