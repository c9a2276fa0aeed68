/** Secrets on the dashboard: seen and rotated by owners only, after they have proven again who they are. Contract 13.8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, type Person, password } from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const account = await service.createAccount();
const { accountId } = account;
const denied = [403, 'PERMISSION_DENIED'];
const unconfirmed = [403, 'CONFIRMATION_REQUIRED'];
const hour = 3600;

test('a secret is shown to an owner who has confirmed again; the log says who saw it', async () => {
  const owner = await join(service, accountId, 'owner');
  assert.equal((await owner.get('/session')).body.session.confirmed_again, false);
  assert.deepEqual(codeOf(await show(owner)), unconfirmed, 'signing in is not enough');
  assert.equal((await confirm(owner)).body.session.confirmed_again, true);
  const reply = await show(owner);
  assert.deepEqual(reply.body, { name: 'access-secret', secret: account.accessSecret });
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  const webhook = await show(owner, 'partner-webhook-secret');
  assert.equal(webhook.body.secret, account.partnerWebhookSecret);
  const shown = (await auditOf(service, accountId)).filter(
    ({ action }) => action === 'secret.shown',
  );
  assert.deepEqual(shown, [
    ...['access-secret', 'partner-webhook-secret'].map((object) => ({
      actor: owner.email,
      user_id: owner.userId,
      address: owner.address,
      action: 'secret.shown',
      object,
      details: {},
    })),
  ]);
});

test('a confirmation holds for 5 minutes, and then until the next one', async () => {
  const owner = await join(service, accountId, 'owner');
  await confirm(owner);
  service.advanceSeconds(4 * 60);
  assert.equal((await show(owner)).status, 200);
  service.advanceSeconds(61);
  assert.deepEqual(codeOf(await show(owner)), unconfirmed);
  assert.deepEqual(codeOf(await rotate(owner, { overlap_seconds: 0 })), unconfirmed);
  const shown = async () =>
    (await auditOf(service, accountId)).filter(({ action }) => action === 'secret.shown');
  const entries = await shown();
  assert.deepEqual(codeOf(await owner.post('/confirm', { password: 'a wrong password' })), [
    401,
    'AUTHENTICATION_FAILED',
  ]);
  assert.deepEqual(codeOf(await show(owner)), unconfirmed);
  assert.deepEqual(await shown(), entries, 'nothing was shown');
  await confirm(owner);
  assert.equal((await show(owner)).status, 200);
});

test('a rotated secret is answered once; the former one is valid until the end of the overlap', async () => {
  const shop = await service.createAccount();
  const owner = await join(service, shop.accountId, 'owner');
  const { status, body } = await rotate(owner, { overlap_seconds: hour });
  assert.equal(status, 200, JSON.stringify(body));
  assert.match(body.secret, /^access_secret_/);
  assert.notEqual(body.secret, shop.accessSecret);
  const [secret] = (await owner.get('/settings')).body.secrets;
  assert.deepEqual(
    secret.former.map((one: { valid_until: string }) => one.valid_until),
    [body.old_valid_until],
  );
  assert.equal(await signsIn(shop.accessKey, shop.accessSecret), 200);
  assert.equal(await signsIn(shop.accessKey, body.secret), 200);
  service.advanceSeconds(hour + 1);
  assert.deepEqual((await owner.get('/settings')).body.secrets[0].former, []);
  assert.equal(await signsIn(shop.accessKey, shop.accessSecret), 401);
  const entries = await auditOf(service, shop.accountId);
  const rotated = entries.find(({ action }) => action === 'secret.rotated');
  assert.deepEqual(rotated, {
    actor: owner.email,
    user_id: owner.userId,
    address: owner.address,
    action: 'secret.rotated',
    object: 'access-secret',
    details: { old_valid_until: body.old_valid_until },
  });
  assert.ok(!JSON.stringify(entries).includes(body.secret));
});

test('without an overlap the former secret ends at once', async () => {
  const shop = await service.createAccount();
  const owner = await join(service, shop.accountId, 'owner');
  const { body } = await rotate(owner, { overlap_seconds: 0 });
  assert.equal(await signsIn(shop.accessKey, body.secret), 200);
  assert.equal(await signsIn(shop.accessKey, shop.accessSecret), 401);
});

test('the secret that a provider generated is stored as it is', async () => {
  const shop = await service.createAccount();
  const owner = await join(service, shop.accountId, 'owner');
  const value = 'generated-by-the-provider';
  const body = { overlap_seconds: hour, value };
  assert.equal((await rotate(owner, body, 'partner-webhook-secret')).body.secret, value);
  await confirm(owner);
  assert.equal((await show(owner, 'partner-webhook-secret')).body.secret, value);
  for (const bad of [{ ...body, value: 'short' }, { overlap_seconds: -1 }, { value }, {}]) {
    assert.equal((await rotate(owner, bad, 'partner-webhook-secret')).status, 400);
  }
  assert.equal((await rotate(owner, body)).status, 400, 'the access secret is always generated');
});

test('no other secret is shown or rotated', async () => {
  const owner = await join(service, accountId, 'owner');
  await confirm(owner);
  const names = ['consumer-id-key', 'partner-key-secret', 'endpoint-secret-x', 'x', '__proto__'];
  for (const name of names) {
    assert.deepEqual(codeOf(await show(owner, name)), [404, 'NOT_FOUND'], name);
    const rotated = await rotate(owner, { overlap_seconds: 0 }, name);
    assert.deepEqual(codeOf(rotated), [404, 'NOT_FOUND'], name);
  }
});

test('operators and viewers see and rotate no secret', async () => {
  for (const role of ['operator', 'viewer'] as const) {
    const person = await join(service, accountId, role);
    await confirm(person);
    assert.deepEqual(codeOf(await show(person)), denied);
    assert.deepEqual(codeOf(await rotate(person, { overlap_seconds: 0 })), denied);
  }
});

function confirm(person: Person) {
  return person.post('/confirm', { password });
}

function show(person: Person, name = 'access-secret') {
  return person.post(`/settings/secrets/${name}/show`);
}

function rotate(person: Person, body: unknown, name = 'access-secret') {
  return person.post(`/settings/secrets/${name}/rotate`, body);
}

async function signsIn(access_key: string, access_secret: string): Promise<number> {
  const body = { access_key, access_secret };
  return (await service.call('/api/v3/generate-token', { body })).status;
}
