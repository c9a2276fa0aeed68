/** Roles, the team and two accounts: who may do what, and that nobody reaches another account. Contract 13.2. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { resumeAccount, suspendAccount } from '../../../src/use-cases/accounts/suspend-account.ts';
import { updateAccount } from '../../../src/use-cases/accounts/update-account.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, invite, join, newEmail, openBrowser, password } from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
const { accountId } = await service.createAccount();
const owner = await join(service, accountId, 'owner');
const forbidden = [403, 'PERMISSION_DENIED'];
const unknown = [404, 'NOT_FOUND'];

// The tests advance the clock, and a confirmation of the owner holds for five minutes.
beforeEach(() => owner.post('/confirm', { password }));

for (const role of ['viewer', 'operator'] as const) {
  test(`a ${role} sees the team and the log, and changes nothing in it`, async () => {
    const person = await join(service, accountId, role);
    assert.equal((await person.get('/team')).status, 200);
    assert.equal((await person.get('/audit')).status, 200);
    const own = `/team/${person.userId}`;
    const changes: [method: string, path: string, body?: unknown][] = [
      ['POST', '/team/invitations', { email: newEmail(), role: 'owner' }],
      ['DELETE', '/team/invitations/inv_x'],
      ['PATCH', own, { role: 'owner' }],
      ['PATCH', `/team/${owner.userId}`, { role: 'viewer' }],
      ['DELETE', `/team/${owner.userId}`],
      ['DELETE', own],
    ];
    for (const [method, path, body] of changes) {
      assert.deepEqual(codeOf(await person.send(method, path, body)), forbidden, path);
    }
    assert.equal((await person.get('/session')).body.account.role, role);
  });
}

test('an owner invites, changes roles and removes, each with its line in the log', async () => {
  const email = newEmail();
  const { status, body } = await owner.post('/team/invitations', { email, role: 'viewer' });
  const { invitation_id, link, expires_at, ...invited } = body;
  assert.equal(status, 200);
  assert.deepEqual(invited, { email, role: 'viewer' });
  assert.match(link, /^http:\/\/service\.test\/dashboard\/invitation\/[\w-]{43}$/);
  const listed = (await owner.get('/team')).body.invitations;
  assert.deepEqual(listed, [{ invitation_id, email, role: 'viewer', expires_at }]);

  const browser = openBrowser(service);
  const token = link.slice(link.lastIndexOf('/') + 1);
  const joined = await browser.post(`/invitation/${token}/password`, { password });
  const { user_id: userId } = joined.body.user;
  const changed = await owner.send('PATCH', `/team/${userId}`, { role: 'operator' });
  assert.deepEqual([changed.status, changed.body], [200, { user_id: userId, role: 'operator' }]);
  assert.equal((await browser.get('/session')).body.account.role, 'operator', 'at once');
  assert.equal((await owner.send('DELETE', `/team/${userId}`)).status, 204);
  assert.equal((await browser.get('/session')).status, 401, 'a user of no account is deleted');
  assert.deepEqual(codeOf(await owner.send('DELETE', `/team/${userId}`)), unknown);

  const entries = (await auditOf(service, accountId)).slice(-4);
  assert.deepEqual(
    entries.map(({ actor, action, object, details }) => ({ actor, action, object, details })),
    [
      {
        actor: owner.email,
        action: 'user.invited',
        object: invitation_id,
        details: { email, role: 'viewer' },
      },
      { actor: email, action: 'user.joined', object: userId, details: { role: 'viewer' } },
      {
        actor: owner.email,
        action: 'user.role_changed',
        object: userId,
        details: { email, from: 'viewer', to: 'operator' },
      },
      {
        actor: owner.email,
        action: 'user.removed',
        object: userId,
        details: { email, role: 'operator' },
      },
    ],
  );
  assert.ok(!JSON.stringify(entries).includes(token));
});

test('the only owner can be neither demoted nor removed, by nobody', async () => {
  const account = await service.createAccount();
  const only = await join(service, account.accountId, 'owner');
  await join(service, account.accountId, 'operator');
  const path = `/team/${only.userId}`;
  assert.deepEqual(codeOf(await only.send('PATCH', path, { role: 'operator' })), forbidden);
  assert.deepEqual(codeOf(await only.send('DELETE', path)), forbidden);
  assert.equal((await only.send('PATCH', path, { role: 'owner' })).status, 200, 'no change');
  const second = await join(service, account.accountId, 'owner');
  assert.equal((await second.send('DELETE', path)).status, 204);
});

test('of two owners who remove each other at the same time, one stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const account = await service.createAccount();
    const one = await join(service, account.accountId, 'owner');
    const other = await join(service, account.accountId, 'owner');
    const replies = await Promise.all([
      one.send('DELETE', `/team/${other.userId}`),
      other.send('PATCH', `/team/${one.userId}`, { role: 'viewer' }),
    ]);
    assert.equal(replies.filter(({ status }) => status < 300).length, 1);
    const { rows } = await service.database.query({
      text: `select user_id from memberships where account_id = $1 and role = 'owner'`,
      values: [account.accountId],
    });
    assert.equal(rows.length, 1);
  }
});

test('a user of two accounts switches between them, with the role of each, and sees one at a time', async () => {
  const other = await service.createAccount({ name: 'Zebra shop' });
  const person = await join(service, accountId, 'viewer');
  const token = await invite(service, other.accountId, 'owner', person.email);
  await person.post(`/invitation/${token}/join`);
  const team = (await person.get('/team')).body.members;
  assert.deepEqual(
    team.map(({ email }: { email: string }) => email),
    [person.email],
  );
  const switched = await person.post('/account', { account_id: accountId });
  assert.equal(switched.body.account.role, 'viewer');
  const [first] = (await person.get('/team')).body.members;
  assert.notEqual(first, undefined);
  assert.deepEqual(codeOf(await person.send('DELETE', `/team/${owner.userId}`)), forbidden);
  await person.post('/account', { account_id: other.accountId });
  assert.deepEqual(codeOf(await person.send('DELETE', `/team/${owner.userId}`)), unknown);
  assert.deepEqual(
    codeOf(await person.send('PATCH', `/team/${owner.userId}`, { role: 'viewer' })),
    [...unknown],
  );
});

test('a session goes on showing its account when others are added and renamed, and the next one begins there', async () => {
  const [mango, melon] = [
    await service.createAccount({ name: 'Mango shop' }),
    await service.createAccount({ name: 'Melon shop' }),
  ];
  const person = await join(service, mango.accountId, 'viewer');
  const add = async (to: string) => {
    const helper = openBrowser(service);
    await helper.post('/sign-in', { email: person.email, password });
    await helper.post(`/invitation/${await invite(service, to, 'viewer', person.email)}/join`);
    await helper.post('/sign-out');
  };
  await add(melon.accountId);
  await person.post('/sign-out');
  const signIn = async () => {
    const browser = openBrowser(service);
    await browser.post('/sign-in', { email: person.email, password });
    return browser;
  };
  const shownTo = async (browser: ReturnType<typeof openBrowser>) =>
    (await browser.get('/session')).body.account.account_id;
  const browser = await signIn();
  assert.equal(await shownTo(browser), mango.accountId, 'the first by name');
  const apple = await service.createAccount({ name: 'Apple shop' });
  await add(apple.accountId);
  await updateAccount(
    service.services,
    melon.accountId,
    () => ({ name: 'A melon shop' }),
    commandLine,
  );
  assert.equal(await shownTo(browser), mango.accountId);
  await browser.post('/account', { account_id: melon.accountId });
  service.advanceSeconds(61);
  assert.equal(await shownTo(browser), melon.accountId);
  assert.equal(await shownTo(await signIn()), melon.accountId, 'the one that was used last');
});

test('an account of others is answered like one that does not exist', async () => {
  const other = await service.createAccount();
  const theirs = await join(service, other.accountId, 'owner');
  const reply = await owner.post('/account', { account_id: other.accountId });
  const none = await owner.post('/account', { account_id: 'acc_0000000000000000' });
  assert.deepEqual([reply.status, reply.body], [404, none.body]);
  const token = await invite(service, other.accountId, 'viewer', newEmail());
  const [open] = (await theirs.get('/team')).body.invitations;
  const path = `/team/invitations/${open.invitation_id}`;
  assert.deepEqual(codeOf(await owner.send('DELETE', path)), unknown);
  assert.equal((await openBrowser(service).post(`/invitation/${token}`)).status, 200);
  assert.equal((await owner.get('/session')).body.account.account_id, accountId);
});

test('whoever is removed from one of two accounts stays in the other, in the same session', async () => {
  const other = await service.createAccount();
  const person = await join(service, accountId, 'viewer');
  const token = await invite(service, other.accountId, 'viewer', person.email);
  await person.post(`/invitation/${token}/join`);
  await person.post('/account', { account_id: accountId });
  await owner.send('DELETE', `/team/${person.userId}`);
  const { status, body } = await person.get('/session');
  assert.deepEqual([status, body.account.account_id], [200, other.accountId]);
});

test('a suspended account can be looked at and not changed', async () => {
  const account = await service.createAccount();
  const person = await join(service, account.accountId, 'owner');
  await suspendAccount(service.services, account.accountId, commandLine);
  const { body } = await person.get('/session');
  assert.equal(body.account.suspended, true);
  assert.equal((await person.get('/team')).status, 200);
  const invitation = { email: newEmail(), role: 'viewer' };
  const reply = await person.post('/team/invitations', invitation);
  assert.deepEqual(codeOf(reply), [403, 'ACCOUNT_SUSPENDED']);
});

test('nobody joins a suspended account; the link can be used afterwards', async () => {
  const account = await service.createAccount();
  const token = await invite(service, account.accountId, 'viewer', newEmail());
  await suspendAccount(service.services, account.accountId, commandLine);
  const browser = openBrowser(service);
  const accept = () => browser.post(`/invitation/${token}/password`, { password });
  assert.deepEqual(codeOf(await accept()), [403, 'ACCOUNT_SUSPENDED']);
  await resumeAccount(service.services, account.accountId, commandLine);
  assert.equal((await accept()).status, 200);
});

test('an owner who is removed or demoted does not come back with a link that they kept', async () => {
  for (const end of ['removed', 'demoted'] as const) {
    const account = await service.createAccount();
    const [stays, leaves] = [
      await join(service, account.accountId, 'owner'),
      await join(service, account.accountId, 'owner'),
    ];
    const kept = { email: newEmail(), role: 'owner' };
    const { link } = (await leaves.post('/team/invitations', kept)).body;
    const path = `/team/${leaves.userId}`;
    if (end === 'removed') await stays.send('DELETE', path);
    else await stays.send('PATCH', path, { role: 'viewer' });
    const token = link.slice(link.lastIndexOf('/') + 1);
    const reply = await openBrowser(service).post(`/invitation/${token}/password`, { password });
    assert.deepEqual(codeOf(reply), unknown, end);
    const entry = (await auditOf(service, account.accountId)).at(-1);
    assert.match(JSON.stringify(entry?.details), /"withdrawn_invitations":1\b/);
  }
});

test('a change that a page means for another account is refused', async () => {
  const other = await service.createAccount();
  const person = await join(service, accountId, 'owner');
  const token = await invite(service, other.accountId, 'owner', person.email);
  await person.post(`/invitation/${token}/join`);
  const invitation = { email: newEmail(), role: 'viewer' };
  const sendFrom = (shown: string) =>
    person.send('POST', '/team/invitations', invitation, { 'x-shown-account': shown });
  assert.deepEqual(codeOf(await sendFrom(accountId)), forbidden);
  assert.deepEqual((await person.get('/team')).body.invitations, []);
  assert.equal((await sendFrom(other.accountId)).status, 200);
});

test('every route of the dashboard says who may call it', async () => {
  const stranger = openBrowser(service);
  for (const path of ['/session', '/sessions', '/team', '/audit']) {
    assert.equal((await stranger.get(path)).status, 401, path);
    const other = await stranger.send('PUT', path, {});
    assert.deepEqual(
      [...codeOf(other), other.headers.has('allow')],
      [...[405, 'METHOD_NOT_ALLOWED', true]],
    );
  }
  assert.deepEqual(codeOf(await stranger.get('/nothing')), unknown);
});
