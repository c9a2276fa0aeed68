/** One-time links: what they show, that each works once, and that none takes over a user. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { inviteUser, resetUser } from '../../../src/use-cases/users/invite-user.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, invite, join, newEmail, openBrowser, password } from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { accountId } = await service.createAccount({ name: 'Tea shop' });

test('a link says whom it is for and to what, and looking does not use it', async () => {
  const email = newEmail();
  const token = await invite(service, accountId, 'operator', email);
  for (let look = 0; look < 2; look += 1) {
    const { status, body } = await openBrowser(service).post(`/invitation/${token}`);
    const { expires_at, ...seen } = body;
    assert.equal(status, 200);
    assert.deepEqual(seen, {
      email,
      account_name: 'Tea shop',
      role: 'operator',
    });
    assert.ok(Math.abs(Date.parse(expires_at) - Date.now() - 24 * 3600_000) < 60_000);
  }
});

test('a link makes a user who is signed in at once, and works once', async () => {
  const email = newEmail();
  const token = await invite(service, accountId, 'operator', email);
  const browser = openBrowser(service);
  const { body } = await browser.post(`/invitation/${token}/password`, { password });
  assert.deepEqual([body.user.email, body.account.role], [email, 'operator']);
  const second = openBrowser(service);
  for (const path of ['', '/password', '/passkey/options']) {
    const used = await second.post(`/invitation/${token}${path}`, { password });
    assert.deepEqual(codeOf(used), [404, 'NOT_FOUND'], path);
  }
  assert.equal(second.cookie(), undefined);
  const unknown = await second.post(`/invitation/${'x'.repeat(43)}`);
  const malformed = await second.post('/invitation/x');
  assert.deepEqual(malformed.body, unknown.body);
  const entry = (await auditOf(service, accountId)).findLast(({ actor }) => actor === email);
  assert.deepEqual([entry?.action, entry?.details], ['user.joined', { role: 'operator' }]);
});

test('of several who use a link at the same time, one wins', async () => {
  const token = await invite(service, accountId, 'operator', newEmail());
  const browsers = Array.from({ length: 8 }, () => openBrowser(service));
  const replies = await Promise.all(
    browsers.map((browser) => browser.post(`/invitation/${token}/password`, { password })),
  );
  const statuses = replies.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [200, ...Array(7).fill(404)]);
  assert.equal(browsers.filter((browser) => browser.cookie() !== undefined).length, 1);
});

test('a link ends after 24 hours, when a new one replaces it, and when it is withdrawn', async () => {
  const owner = await join(service, accountId, 'owner');
  const email = newEmail();
  const first = await invite(service, accountId, 'viewer', email);
  const second = await invite(service, accountId, 'viewer', email);
  assert.equal((await look(first)).status, 404);
  assert.equal((await look(second)).status, 200);
  const { invitations } = (await owner.get('/team')).body;
  const { invitation_id: id } = invitations.find((one: { email: string }) => one.email === email);
  assert.equal((await owner.send('DELETE', `/team/invitations/${id}`)).status, 204);
  assert.equal((await look(second)).status, 404);
  const third = await invite(service, accountId, 'viewer', email);
  service.advanceSeconds(24 * 3600);
  const late = await openBrowser(service).post(`/invitation/${third}/password`, { password });
  assert.equal(late.status, 404);
});

const refusedPasswords: [name: string, text: string][] = [
  ['eleven characters', 'a1b2c3d4e5f'],
  ['one character many times', 'aaaaaaaaaaaaaaaa'],
  ['a common word and digits', 'Password12345'],
  ['more than 256 characters', 'ab'.repeat(129)],
];
for (const [name, text] of refusedPasswords) {
  test(`a password with ${name} is refused, and the link can still be used`, async () => {
    const token = await invite(service, accountId, 'viewer', newEmail());
    const path = `/invitation/${token}/password`;
    const reply = await openBrowser(service).post(path, { password: text });
    assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER']);
    assert.ok(!JSON.stringify(reply.body).includes(text));
    assert.equal((await openBrowser(service).post(path, { password })).status, 200);
  });
}

test('a link to a further account changes no password: its user signs in and joins', async () => {
  const other = await service.createAccount({ name: 'Coffee shop' });
  const person = await join(service, accountId, 'viewer');
  const token = await invite(service, other.accountId, 'owner', person.email);
  // Whoever invites has the link as well.
  const inviter = openBrowser(service);
  const taken = await inviter.post(`/invitation/${token}/password`, { password: 'their password' });
  assert.deepEqual(codeOf(taken), [403, 'PERMISSION_DENIED']);
  assert.equal(inviter.cookie(), undefined);
  const stranger = await join(service, accountId, 'viewer');
  assert.deepEqual(codeOf(await stranger.post(`/invitation/${token}/join`)), [
    403,
    'PERMISSION_DENIED',
  ]);
  assert.equal((await inviter.post(`/invitation/${token}/join`)).status, 401);

  const before = openBrowser(service, person.cookie());
  const { status, body } = await person.post(`/invitation/${token}/join`);
  assert.equal(status, 200);
  assert.deepEqual(
    body.accounts.map(({ name, role }: { name: string; role: string }) => [name, role]),
    [
      ['Coffee shop', 'owner'],
      ['Tea shop', 'viewer'],
    ],
  );
  assert.equal(body.account.name, 'Coffee shop');
  assert.equal((await before.get('/session')).status, 401, 'more rights, another cookie');
  const again = await openBrowser(service).post('/sign-in', { email: person.email, password });
  assert.equal(again.status, 200);
});

test('inviting, and looking at the link, say nothing about users of other accounts', async () => {
  const elsewhere = await service.createAccount();
  const known = (await join(service, elsewhere.accountId, 'viewer')).email;
  const owner = await join(service, accountId, 'owner');
  const seenBy = async (email: string) => {
    const invited = await owner.post('/team/invitations', { email, role: 'viewer' });
    const { invitation_id, link, expires_at, ...answer } = invited.body;
    const path = `/invitation/${link.slice(link.lastIndexOf('/') + 1)}`;
    const seen = await openBrowser(service).post(path);
    const offered = await openBrowser(service).post(`${path}/passkey/options`);
    const weak = await openBrowser(service).post(`${path}/password`, { password: 'short' });
    const { expires_at: _expires, ...look } = seen.body;
    return JSON.stringify([
      invited.status,
      answer,
      link.length,
      seen.status,
      look,
      offered.status,
      Object.keys(offered.body),
      offered.body.excludeCredentials,
      weak.status,
      weak.body,
    ]).replaceAll(email, 'ADDRESS');
  };
  assert.equal(await seenBy(known), await seenBy(newEmail()));
});

test('a user whose credentials were reset cannot be taken over by an invitation meanwhile', async () => {
  const other = await service.createAccount();
  const person = await join(service, accountId, 'owner');
  const { link } = await resetUser(service.services, commandLine, person.email);
  const token = await invite(service, other.accountId, 'viewer', person.email);
  const taken = await openBrowser(service).post(`/invitation/${token}/password`, { password });
  assert.equal(taken.status, 403);
  const own = link.slice(link.lastIndexOf('/') + 1);
  const reset = await openBrowser(service).post(`/invitation/${own}/password`, { password });
  assert.equal(reset.status, 200);
  assert.equal(reset.body.user.user_id, person.userId);
});

test('a reset ends every session and the password, and its link sets new ones', async () => {
  const person = await join(service, accountId, 'operator');
  const { link, endedSessions } = await resetUser(service.services, commandLine, person.email);
  assert.equal(endedSessions, 1);
  assert.equal((await person.get('/session')).status, 401);
  const { email } = person;
  assert.equal((await openBrowser(service).post('/sign-in', { email, password })).status, 401);
  const token = link.slice(link.lastIndexOf('/') + 1);
  const { body } = await openBrowser(service).post(`/invitation/${token}`);
  assert.deepEqual([body.email, body.account_name], [email, null]);
  const path = `/invitation/${token}/password`;
  const fresh = 'another horse battery';
  const { body: reset } = await openBrowser(service).post(path, { password: fresh });
  assert.deepEqual([reset.user.user_id, reset.account.role], [person.userId, 'operator']);
  assert.equal((await openBrowser(service).post(path, { password: fresh })).status, 404);
  const signedIn = await openBrowser(service).post('/sign-in', { email, password: fresh });
  assert.equal(signedIn.status, 200);
});

test('two invitations of one new address to two accounts make one user', async () => {
  const other = await service.createAccount();
  const email = newEmail();
  const tokens = [
    await invite(service, accountId, 'viewer', email),
    await invite(service, other.accountId, 'viewer', email),
  ];
  const replies = await Promise.all(
    tokens.map((token) => openBrowser(service).post(`/invitation/${token}/password`, { password })),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 403]);
});

test('a member is not invited again, and an account has a limited number of open invitations', async () => {
  const { services } = service;
  const person = await join(service, accountId, 'viewer');
  const request = { accountId, email: person.email.toUpperCase(), role: 'owner' } as const;
  await assert.rejects(inviteUser(services, commandLine, request), /INVALID_REQUEST_PARAMETER/);
  const full = await service.createAccount();
  for (let open = 0; open < 50; open += 1) {
    await invite(service, full.accountId, 'viewer', newEmail());
  }
  await assert.rejects(
    invite(service, full.accountId, 'viewer', newEmail()),
    /INVALID_REQUEST_PARAMETER/,
  );
});

function look(token: string) {
  return openBrowser(service).post(`/invitation/${token}`);
}
