/** Passkeys, with an authenticator in software: registration, sign-in, confirmation, and every lie about them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthenticator, type Lies } from '../../support/authenticator.ts';
import {
  codeOf,
  invite,
  join,
  newEmail,
  openBrowser,
  origin,
  password,
} from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { accountId } = await service.createAccount();
const refused = [401, 'AUTHENTICATION_FAILED'];

test('a link sets a passkey instead of a password, and the passkey signs in without a name', async () => {
  const { email, browser, authenticator, options } = await register();
  assert.deepEqual(options.rp, { name: 'Payment orders', id: 'service.test' });
  assert.deepEqual(
    [options.attestation, options.authenticatorSelection.residentKey, options.user.name],
    ['none', 'required', email],
  );
  const seen = (await browser.get('/session')).body;
  assert.deepEqual([seen.user.has_password, seen.user.has_passkey], [false, true]);
  assert.equal(Buffer.from(options.user.id, 'base64url').toString(), seen.user.user_id);

  const other = openBrowser(service);
  const wanted = (await other.post('/sign-in/passkey/options')).body;
  assert.deepEqual([wanted.rpId, wanted.userVerification], ['service.test', 'required']);
  assert.ok(!wanted.allowCredentials?.length, 'nobody learns who has a passkey');
  const { status, body } = await other.post('/sign-in/passkey/verify', authenticator.get(wanted));
  assert.deepEqual([status, body.user.email], [200, email]);
  assert.equal((await other.get('/session')).status, 200);
});

const lies: [name: string, lies: Lies][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['another port', { origin: `${origin}:81` }],
  ['another relying party', { rpId: 'evil.example' }],
  ['a challenge of its own', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
  ['a challenge that is none', { challenge: '' }],
  ['no fingerprint and no PIN', { isUnverified: true }],
  ['the wrong ceremony', { type: 'webauthn.other' }],
];
for (const [name, lie] of lies) {
  test(`a registration with ${name} is refused, and the link can still be used`, async () => {
    const token = await invite(service, accountId, 'viewer', newEmail());
    const browser = openBrowser(service);
    const authenticator = createAuthenticator(origin);
    const path = `/invitation/${token}/passkey`;
    const options = (await browser.post(`${path}/options`)).body;
    const lied = await browser.post(`${path}/verify`, authenticator.create(options, lie));
    assert.deepEqual(codeOf(lied), refused);
    assert.equal(browser.cookie(), undefined);
    const again = (await browser.post(`${path}/options`)).body;
    const told = await browser.post(`${path}/verify`, authenticator.create(again));
    assert.equal(told.status, 200);
  });
}

const moreLies: [name: string, lies: Lies][] = [
  ...lies,
  ['a forged signature', { isForged: true }],
  ['a counter that went back', { counter: 1 }],
  ['a counter that stands still', { counter: 2 }],
];
for (const [name, lie] of moreLies) {
  test(`a sign-in with ${name} is refused`, async () => {
    const { authenticator } = await register();
    const first = await signIn(authenticator);
    assert.equal(first.reply.status, 200, 'the counter is 2');
    const { reply, browser } = await signIn(authenticator, lie);
    assert.deepEqual(codeOf(reply), refused);
    assert.equal(browser.cookie(), undefined);
    assert.equal((await signIn(authenticator, { counter: 9 })).reply.status, 200);
  });
}

test('what a passkey signed is worth nothing the second time, whatever became of the first', async () => {
  const { authenticator } = await register();
  const options = (await openBrowser(service).post('/sign-in/passkey/options')).body;
  const signed = authenticator.get(options);
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => openBrowser(service).post('/sign-in/passkey/verify', signed)),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
  const failed = (await openBrowser(service).post('/sign-in/passkey/options')).body;
  const lie = authenticator.get(failed, { isForged: true });
  assert.equal((await openBrowser(service).post('/sign-in/passkey/verify', lie)).status, 401);
  const truth = authenticator.get(failed);
  assert.equal((await openBrowser(service).post('/sign-in/passkey/verify', truth)).status, 401);
});

test('a challenge is valid for five minutes, and for what it was made for', async () => {
  const { authenticator, browser } = await register();
  const late = (await openBrowser(service).post('/sign-in/passkey/options')).body;
  service.advanceSeconds(300);
  const reply = await openBrowser(service).post('/sign-in/passkey/verify', authenticator.get(late));
  assert.deepEqual(codeOf(reply), refused);
  const forSignIn = (await openBrowser(service).post('/sign-in/passkey/options')).body;
  const misused = await browser.post('/confirm/passkey/verify', authenticator.get(forSignIn));
  assert.deepEqual(codeOf(misused), refused);
  const forConfirming = (await browser.post('/confirm/passkey/options')).body;
  const signed = authenticator.get(forConfirming);
  const other = await openBrowser(service).post('/sign-in/passkey/verify', signed);
  assert.deepEqual(codeOf(other), refused);
});

test('a passkey confirms its own user and no other, and the cookie changes', async () => {
  const one = await register();
  const other = await register();
  const before = openBrowser(service, one.browser.cookie());
  const options = (await one.browser.post('/confirm/passkey/options')).body;
  const foreign = await one.browser.post(
    '/confirm/passkey/verify',
    other.authenticator.get(options),
  );
  assert.deepEqual(codeOf(foreign), refused);
  const again = (await one.browser.post('/confirm/passkey/options')).body;
  const own = await one.browser.post('/confirm/passkey/verify', one.authenticator.get(again));
  assert.equal(own.status, 200);
  assert.equal((await before.get('/session')).status, 401);
});

test('a registration for one link does not count for another', async () => {
  const [first, second] = [
    await invite(service, accountId, 'viewer', newEmail()),
    await invite(service, accountId, 'owner', newEmail()),
  ];
  const browser = openBrowser(service);
  const authenticator = createAuthenticator(origin);
  const options = (await browser.post(`/invitation/${first}/passkey/options`)).body;
  const signed = authenticator.create(options);
  const reply = await browser.post(`/invitation/${second}/passkey/verify`, signed);
  assert.deepEqual(codeOf(reply), refused);
});

test('a passkey that another user has is not registered again', async () => {
  const { authenticator } = await register();
  const token = await invite(service, accountId, 'viewer', newEmail());
  const browser = openBrowser(service);
  const path = `/invitation/${token}/passkey`;
  const options = (await browser.post(`${path}/options`)).body;
  const reply = await browser.post(`${path}/verify`, authenticator.create(options));
  assert.deepEqual(codeOf(reply), refused);
  const accepted = await browser.post(`/invitation/${token}/password`, { password });
  assert.equal(accepted.status, 200, 'the link is still there');
});

test('a response that is none is answered 400 or 401, and never 500', async () => {
  const { browser } = await register();
  const person = await join(service, accountId, 'viewer');
  const bodies = [
    ...[{}, [], { id: 'x' }, { id: 'x', rawId: 'x', type: 'x', response: {} }],
    { id: 'x', rawId: 'x', type: 'public-key', response: { clientDataJSON: 'e30' } },
    { id: 1, rawId: [], type: null, response: { clientDataJSON: {} } },
  ];
  for (const body of bodies) {
    for (const path of ['/sign-in/passkey/verify', '/confirm/passkey/verify']) {
      const { status } = await browser.post(path, body);
      assert.ok([400, 401].includes(status), `${path} ${JSON.stringify(body)} ${status}`);
    }
  }
  assert.equal((await person.get('/session')).status, 200);
});

async function register() {
  const email = newEmail();
  const token = await invite(service, accountId, 'viewer', email);
  const browser = openBrowser(service);
  const authenticator = createAuthenticator(origin);
  const path = `/invitation/${token}/passkey`;
  const options = (await browser.post(`${path}/options`)).body;
  const { status, body } = await browser.post(`${path}/verify`, authenticator.create(options));
  assert.equal(status, 200, JSON.stringify(body));
  return { email, browser, authenticator, options };
}

async function signIn(authenticator: ReturnType<typeof createAuthenticator>, lie: Lies = {}) {
  const browser = openBrowser(service);
  const options = (await browser.post('/sign-in/passkey/options')).body;
  const reply = await browser.post('/sign-in/passkey/verify', authenticator.get(options, lie));
  return { reply, browser };
}
