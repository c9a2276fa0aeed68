import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { openPayload, sealPayload } from '../../../src/security/sealed-payload.ts';
import { rotateSecret } from '../../../src/use-cases/accounts/rotate-secret.ts';
import { issueMerchantToken } from '../../support/merchant-token.ts';
import { orderBody } from '../../support/order-bodies.ts';
import { dumpTables } from '../../support/test-database.ts';
import { startTestService, type TestAccount } from '../../support/test-service.ts';
import { assertRefused } from '../assertions.ts';

const service = await startTestService();
const account = await service.createAccount({ encryptedPayloads: true });
const plainAccount = await service.createAccount();

test('a sealed order is created like a plain one, and its reply is sealed', async () => {
  const body = orderBody();
  const reply = await send(account, '/api/v3/create-order', body);
  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.body), ['encrypted_response']);
  const order = open(reply.body.encrypted_response, account.accessSecret);
  assert.equal(order.invoice_id, body.invoice_id);

  const plain = await service.call('/api/v3/create-order', { token: account.token, body });
  assert.equal(plain.body.order_id, order.order_id);
  assert.equal(plain.headers.get('idempotent-replayed'), 'true');
});

test('a sealed enquiry is answered sealed', async () => {
  const { invoice_id } = await createPlain();
  const reply = await send(account, '/api/v3/transaction-enquiry', { invoice_id });
  assert.equal(
    open(reply.body.encrypted_response, account.accessSecret).order.invoice_id,
    invoice_id,
  );
});

test('errors are sealed too, with the same status', async () => {
  const refused = await send(account, '/api/v3/create-order', orderBody({ currency: 'XYZ' }));
  assert.equal(refused.status, 400);
  const { error } = open(refused.body.encrypted_response, account.accessSecret);
  assert.equal(error.svc_error_code, 'INVALID_REQUEST_PARAMETER');
  assert.match(error.svc_merchant_message, /^currency /);

  const unknown = await send(account, '/api/v3/transaction-enquiry', { invoice_id: 'none' });
  assert.equal(unknown.status, 404);
  const inside = open(unknown.body.encrypted_response, account.accessSecret);
  assert.equal(inside.error.svc_error_code, 'INVOICE_NOT_FOUND');
});

test('with the header encryption: ignore the reply is plain', async () => {
  const body = orderBody();
  const reply = await send(account, '/api/v3/create-order', body, { encryption: 'ignore' });
  assert.equal(reply.body.invoice_id, body.invoice_id);
});

test('a plain call of an account with encrypted payloads stays plain', async () => {
  const reply = await createPlain();
  assert.ok(reply.order_id);
});

test('a sealed body is refused for an account without encrypted payloads', async () => {
  const reply = await send(plainAccount, '/api/v3/create-order', orderBody());
  assertRefused(reply, 'ENCRYPTION_NOT_ENABLED');
});

test('every invalid sealed body gets the same message and changes nothing', async () => {
  const sealed = sealPayload(JSON.stringify(orderBody()), account.accessSecret);
  const flipped = `${sealed.slice(0, -1)}${sealed.endsWith('0') ? '1' : '0'}`;
  const before = await dumpTables(service.database);
  for (const encrypted_payload of [
    '',
    'zz',
    '00',
    sealed.slice(0, -2),
    `${sealed}00`,
    flipped,
    sealed.slice(2),
    sealPayload('{}', plainAccount.accessSecret),
  ]) {
    const body = { encrypted_payload };
    const reply = await service.call('/api/v3/create-order', { token: account.token, body });
    assertRefused(reply, 'DECRYPTION_FAILED');
  }
  assert.deepEqual(await dumpTables(service.database), before);
});

test('a sealed body that is not a JSON object is refused, and the refusal is sealed', async () => {
  for (const text of ['', 'no json', '[]', '"x"', '{"invoice_id":"\\u0000"}']) {
    const encrypted_payload = sealPayload(text, account.accessSecret);
    const reply = await service.call('/api/v3/create-order', {
      token: account.token,
      body: { encrypted_payload },
    });
    assert.equal(reply.status, 400, text);
    const { error } = open(reply.body.encrypted_response, account.accessSecret);
    assert.equal(error.svc_error_code, 'INVALID_REQUEST_PARAMETER');
  }
});

test('during a rotation both secrets open, and the reply uses the one that did', async () => {
  const rotating = await service.createAccount({ encryptedPayloads: true });
  const { secret } = await rotateSecret(
    service.services,
    rotating.accountId,
    'access-secret',
    60,
    commandLine,
  );
  await untilSeen(async () => {
    const reply = await send(
      { ...rotating, accessSecret: secret },
      '/api/v3/create-order',
      orderBody(),
    );
    return (
      reply.status === 200 && open(reply.body.encrypted_response, secret).order_id !== undefined
    );
  });
  const old = await send(rotating, '/api/v3/create-order', orderBody());
  assert.ok(open(old.body.encrypted_response, rotating.accessSecret).order_id);

  service.advanceSeconds(61);
  const { token } = await issueMerchantToken(service.services, rotating.accountId);
  const late = await send({ ...rotating, token }, '/api/v3/create-order', orderBody());
  assertRefused(late, 'DECRYPTION_FAILED');
  service.advanceSeconds(-61);
});

test('a refresh token can be sent sealed by a merchant', async () => {
  const { refresh_token } = await createPlain();
  const reply = await send(account, '/api/v3/refresh-token', { refresh_token });
  assert.equal(reply.status, 200);
  assert.ok(open(reply.body.encrypted_response, account.accessSecret).token);
});

test('a sealed body without a valid token is answered 401, so that a client renews its token', async () => {
  const encrypted_payload = sealPayload('{"refresh_token":"x"}', account.accessSecret);
  for (const token of ['xx', undefined]) {
    const reply = await service.call('/api/v3/refresh-token', {
      token,
      body: { encrypted_payload },
    });
    assertRefused(reply, 'INVALID_TOKEN', /bearer token/);
  }
});

async function createPlain() {
  const reply = await service.call('/api/v3/create-order', {
    token: account.token,
    body: orderBody(),
  });
  assert.equal(reply.status, 200);
  return reply.body;
}

function send(
  sender: Pick<TestAccount, 'token' | 'accessSecret'>,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const encrypted_payload = sealPayload(JSON.stringify(body), sender.accessSecret);
  return service.call(path, { token: sender.token, body: { encrypted_payload }, headers });
}

function open(hex: string, secret: string) {
  const opened = openPayload(hex, secret);
  assert.ok(opened, 'the reply is sealed with the secret of the request');
  return JSON.parse(opened.toString('utf8'));
}

/** Secrets are read again after at most a second. */
async function untilSeen(isSeen: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 3_000;
  while (!(await isSeen())) {
    assert.ok(Date.now() < deadline, 'the new secret was not seen in time');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
