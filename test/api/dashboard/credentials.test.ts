/** How users change their own password and passkeys. Contract 13.8. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '../../../src/domain/users/role.ts';
import { waitUntil } from '../../../tools/harness/wait-until.ts';
import { auditOf } from '../../support/audit.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import {
  type Browser,
  codeOf,
  invite,
  join,
  newEmail,
  openBrowser,
  origin,
  type Person,
  password,
} from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { accountId } = await service.createAccount();
const unconfirmed = [403, 'CONFIRMATION_REQUIRED'];
const newPassword = 'another horse and battery';

test('a new password replaces the former one and ends the other sessions', async () => {
  const person = await joinAndConfirm('viewer');
  const other = openBrowser(service);
  await other.post('/sign-in', { email: person.email, password });
  const reply = await person.post('/credentials/password', { password: newPassword });
  assert.deepEqual([reply.status, reply.body], [200, { ended_sessions: 1 }]);
  assert.equal((await person.get('/session')).status, 200);
  assert.equal((await other.get('/session')).status, 401);
  const signIn = (secret: string) =>
    openBrowser(service).post('/sign-in', { email: person.email, password: secret });
  assert.equal((await signIn(password)).status, 401);
  assert.equal((await signIn(newPassword)).status, 200);
  assert.deepEqual(await entryOf(person, 'user.password_changed'), {
    actor: person.email,
    user_id: person.userId,
    address: person.address,
    action: 'user.password_changed',
    object: person.userId,
    details: { ended_sessions: 1 },
  });
});

test('a password that is too short, common or the e-mail address is refused', async () => {
  const person = await joinAndConfirm('viewer');
  for (const bad of ['short', '', person.email, 'a'.repeat(20), 'qwertyQWERTY', 1]) {
    const reply = await person.post('/credentials/password', { password: bad });
    assert.equal(reply.status, 400, String(bad));
  }
  assert.equal((await person.post('/confirm', { password })).status, 200);
});

test('credentials change only within 5 minutes of a proof', async () => {
  const person = await joinAndConfirm('viewer');
  const authenticator = createAuthenticator(origin);
  const options = (await person.post('/credentials/passkey/options')).body;
  service.advanceSeconds(4 * 60);
  assert.equal((await person.post('/credentials/password', { password })).status, 200);
  service.advanceSeconds(61);
  const calls = [
    await person.post('/credentials/password', { password: newPassword }),
    await person.post('/credentials/passkey/options'),
    await person.post('/credentials/passkey/verify', authenticator.create(options)),
    await person.send('DELETE', '/credentials/passkeys/x'),
  ];
  for (const reply of calls) assert.deepEqual(codeOf(reply), unconfirmed);
  assert.equal((await person.post('/confirm', { password })).status, 200, 'it did not change');
  assert.equal((await person.post('/credentials/passkey/options')).status, 200);
});

test('a passkey is added, listed with its times, used and removed', async () => {
  const person = await joinAndConfirm('viewer');
  assert.deepEqual((await person.get('/credentials')).body, { has_password: true, passkeys: [] });
  const { authenticator, options } = await addPasskey(person);
  assert.equal(options.user.name, person.email);
  const added = (await person.get('/credentials')).body.passkeys[0];
  assert.deepEqual([added.last_used_at, added.transports], [null, ['internal']]);
  assert.equal((await person.get('/session')).body.user.has_passkey, true);

  const browser = openBrowser(service);
  const challenge = (await browser.post('/sign-in/passkey/options')).body;
  const signedIn = await browser.post('/sign-in/passkey/verify', authenticator.get(challenge));
  assert.equal(signedIn.body.user.email, person.email);
  const [used] = (await person.get('/credentials')).body.passkeys;
  assert.ok(Date.parse(used.last_used_at) >= Date.parse(used.created_at));

  const next = (await person.post('/credentials/passkey/options')).body;
  assert.deepEqual(
    next.excludeCredentials.map(({ id }: { id: string }) => id),
    [added.passkey_id],
    'a device does not make a second one',
  );
  const removed = await person.send('DELETE', `/credentials/passkeys/${added.passkey_id}`);
  assert.equal(removed.status, 204);
  const again = (await browser.post('/sign-in/passkey/options')).body;
  assert.equal(
    (await browser.post('/sign-in/passkey/verify', authenticator.get(again))).status,
    401,
  );
  for (const action of ['user.passkey_added', 'user.passkey_removed']) {
    assert.equal((await entryOf(person, action))?.actor, person.email);
  }
});

test('the last way to sign in is never removed', async () => {
  const email = newEmail();
  const token = await invite(service, accountId, 'viewer', email);
  const browser = openBrowser(service);
  const path = `/invitation/${token}/passkey`;
  const first = createAuthenticator(origin);
  await browser.post(`${path}/verify`, first.create((await browser.post(`${path}/options`)).body));
  const idsOf = async (): Promise<string[]> =>
    (await browser.get('/credentials')).body.passkeys.map(
      (one: { passkey_id: string }) => one.passkey_id,
    );
  const [only = ''] = await idsOf();
  service.advanceSeconds(1);
  const asked = (await browser.post('/confirm/passkey/options')).body;
  assert.equal((await browser.post('/confirm/passkey/verify', first.get(asked))).status, 200);
  const remove = (id: string) => browser.send('DELETE', `/credentials/passkeys/${id}`);
  assert.deepEqual(codeOf(await remove(only)), [400, 'INVALID_REQUEST_PARAMETER']);
  await addPasskey(browser);
  const both = await idsOf();
  assert.equal(both.length, 2);
  // Both wait: without the lock of the user, each would have seen the other's passkey by then.
  const outcomes = await service.database.transaction(async (tx) => {
    await tx.query({ text: 'select from passkeys for update' });
    const removals = both.map(remove);
    await waitUntil('both removals wait', async () => (await countWaiting()) === 2);
    return { removals };
  });
  const replies = await Promise.all(outcomes.removals);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 400], 'two at a time');
  assert.equal((await idsOf()).length, 1);
  assert.equal(
    (await browser.post('/credentials/password', { password: newPassword })).status,
    200,
  );
  const [last = ''] = await idsOf();
  assert.equal((await remove(last)).status, 204, 'there is a password now');
});

test('nobody changes the passkeys of others, and no challenge of others is accepted', async () => {
  const [one, other] = [await joinAndConfirm('owner'), await joinAndConfirm('owner')];
  const { authenticator } = await addPasskey(one);
  const [{ passkey_id }] = (await one.get('/credentials')).body.passkeys;
  const removed = await other.send('DELETE', `/credentials/passkeys/${passkey_id}`);
  assert.deepEqual(codeOf(removed), [404, 'NOT_FOUND']);
  const theirs = (await one.post('/credentials/passkey/options')).body;
  const fresh = createAuthenticator(origin);
  const stolen = await other.post('/credentials/passkey/verify', fresh.create(theirs));
  assert.deepEqual(codeOf(stolen), [401, 'AUTHENTICATION_FAILED']);
  const own = (await other.post('/credentials/passkey/options')).body;
  const known = await other.post('/credentials/passkey/verify', authenticator.create(own));
  assert.deepEqual(codeOf(known), [401, 'AUTHENTICATION_FAILED'], 'it belongs to somebody');
  const replayed = await other.post('/credentials/passkey/verify', fresh.create(own));
  assert.deepEqual(codeOf(replayed), [401, 'AUTHENTICATION_FAILED'], 'the challenge is used up');
  assert.deepEqual((await other.get('/credentials')).body.passkeys, []);
});

async function addPasskey(browser: Browser) {
  const authenticator = createAuthenticator(origin);
  const options = (await browser.post('/credentials/passkey/options')).body;
  const reply = await browser.post('/credentials/passkey/verify', authenticator.create(options));
  assert.equal(reply.status, 204, JSON.stringify(reply.body));
  return { authenticator, options };
}

async function countWaiting(): Promise<number | undefined> {
  const { rows } = await service.database.query<{ count: number }>({
    text: `select count(*)::int from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
  });
  return rows[0]?.count;
}

async function entryOf({ userId }: Person, action: string) {
  const entries = await auditOf(service, accountId);
  return entries.find((entry) => entry.action === action && entry.object === userId);
}

/** The sign-in does not count for a change of credentials. */
async function joinAndConfirm(role: Role): Promise<Person> {
  const person = await join(service, accountId, role);
  service.advanceSeconds(1);
  assert.deepEqual(codeOf(await person.post('/credentials/password', { password })), unconfirmed);
  assert.equal((await person.post('/confirm', { password })).status, 200);
  return person;
}
