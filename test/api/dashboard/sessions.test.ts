/** Sessions: how they begin, how long they last, and that a cookie from before is worth nothing. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweep } from '../../../src/use-cases/upkeep/sweep.ts';
import {
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
service.stopClock();
const { accountId } = await service.createAccount();
const hour = 3600;

test('without a cookie, and with one of nobody, every call is answered 401', async () => {
  for (const cookie of [undefined, 'x', 'A'.repeat(43), "' or 1=1 --"]) {
    const browser = openBrowser(service, cookie);
    for (const path of ['/session', '/sessions', '/team', '/audit']) {
      assert.deepEqual(codeOf(await browser.get(path)), [401, 'AUTHENTICATION_FAILED'], path);
    }
  }
});

test('a sign-in makes a new session and ends the one of the cookie it came with', async () => {
  const attacker = await join(service, accountId, 'viewer');
  const victim = await join(service, accountId, 'viewer');
  const planted = attacker.cookie();
  const browser = openBrowser(service, planted);
  await browser.post('/sign-in', { email: victim.email, password });
  assert.notEqual(browser.cookie(), planted);
  assert.equal((await browser.get('/session')).body.user.email, victim.email);
  assert.equal((await openBrowser(service, planted).get('/session')).status, 401);
});

test('a cookie that a visitor made up does not become the cookie of a session', async () => {
  const { email } = await join(service, accountId, 'viewer');
  const planted = 'B'.repeat(43);
  const browser = openBrowser(service, planted);
  await browser.post('/sign-in', { email, password });
  assert.notEqual(browser.cookie(), planted);
  assert.equal((await openBrowser(service, planted).get('/session')).status, 401);
});

test('a cookie that was copied is worth nothing after the sign-out', async () => {
  const person = await join(service, accountId, 'viewer');
  const stolen = openBrowser(service, person.cookie());
  assert.equal((await stolen.get('/session')).status, 200);
  const reply = await person.post('/sign-out');
  assert.equal(reply.status, 204);
  assert.match(reply.headers.get('set-cookie') ?? '', /^session=; Max-Age=0; Path=\/; HttpOnly/);
  assert.equal((await stolen.get('/session')).status, 401);
});

test('a user sees their sessions, and ends one or all others', async () => {
  const person = await join(service, accountId, 'viewer');
  const phone = await signIn(person, 'Phone/1.0');
  const tablet = await signIn(person, 'Tablet/1.0');
  const { sessions } = (await person.get('/sessions')).body;
  assert.deepEqual(
    sessions.map((one: { user_agent: string; current: boolean; address: string }) => [
      one.user_agent,
      one.address,
      one.current,
    ]),
    [
      ['Tablet/1.0', tablet.address, false],
      ['Phone/1.0', phone.address, false],
      [sessions[2].user_agent, person.address, true],
    ],
  );
  const ended = await person.send('DELETE', `/sessions/${sessions[1].session_id}`);
  assert.equal(ended.status, 204);
  assert.equal((await phone.get('/session')).status, 401);
  assert.equal((await tablet.get('/session')).status, 200);
  assert.deepEqual((await person.send('DELETE', '/sessions')).body, { ended: 1 });
  assert.equal((await tablet.get('/session')).status, 401);
  assert.equal((await person.get('/session')).status, 200);
});

test('a session of another user cannot be ended, and is answered like none', async () => {
  const person = await join(service, accountId, 'owner');
  const other = await join(service, accountId, 'viewer');
  const [theirs] = (await other.get('/sessions')).body.sessions;
  const reply = await person.send('DELETE', `/sessions/${theirs.session_id}`);
  const unknown = await person.send('DELETE', '/sessions/ses_0000000000000000');
  assert.deepEqual([reply.status, reply.body], [404, unknown.body]);
  assert.equal((await other.get('/session')).status, 200);
});

test('a session that is not used for twelve hours ends', async () => {
  const person = await join(service, accountId, 'viewer');
  service.advanceSeconds(12 * hour - 10);
  assert.equal((await person.get('/session')).status, 200);
  service.advanceSeconds(12 * hour - 10);
  assert.equal((await person.get('/session')).status, 200, 'the first request counted');
  service.advanceSeconds(12 * hour);
  assert.equal((await person.get('/session')).status, 401);
});

test('a session ends after seven days, however often it is used', async () => {
  const person = await join(service, accountId, 'viewer');
  const step = 6 * hour;
  for (let used = 0; used < 7 * 24 * hour - step; used += step) {
    assert.equal((await person.get('/session')).status, 200, `after ${used / hour} hours`);
    service.advanceSeconds(step);
  }
  service.advanceSeconds(step - 30);
  assert.equal((await person.get('/session')).status, 200, 'half a minute before the end');
  service.advanceSeconds(30);
  assert.equal((await person.get('/session')).status, 401);
});

test('the last use is written at most once a minute', async () => {
  const person = await join(service, accountId, 'viewer');
  const before = await lastSeen(person.userId);
  service.advanceSeconds(30);
  await person.get('/session');
  assert.equal(await lastSeen(person.userId), before);
  service.advanceSeconds(30);
  await person.get('/session');
  assert.ok((await lastSeen(person.userId)) >= before + 60_000);
});

test('the sweep deletes what has ended and nothing else', async () => {
  const person = await join(service, accountId, 'viewer');
  const left = await join(service, accountId, 'viewer');
  service.advanceSeconds(11 * hour);
  await person.get('/session');
  await person.post('/sign-in/passkey/options');
  service.advanceSeconds(2 * hour);
  await sweep(service.services);
  const counts = await count();
  assert.equal((await person.get('/session')).status, 200);
  assert.equal((await left.get('/session')).status, 401);
  assert.deepEqual(counts, { sessions: 1, invitations: 0, passkey_challenges: 0 });
});

test('asking again who the user is changes the cookie, and the one from before is worth nothing', async () => {
  const person = await join(service, accountId, 'owner');
  const stolen = openBrowser(service, person.cookie());
  service.advanceSeconds(hour);
  const { session } = (await person.get('/session')).body;
  const wrong = await person.post('/confirm', { password: 'incorrect horse battery' });
  assert.deepEqual(codeOf(wrong), [401, 'AUTHENTICATION_FAILED']);
  assert.equal(wrong.body.error.svc_merchant_message, 'The password is wrong.');
  const { status, body } = await person.post('/confirm', { password });
  assert.equal(status, 200);
  assert.equal(body.session.session_id, session.session_id);
  const confirmedFor =
    Date.parse(body.session.confirmed_until) - Date.parse(session.confirmed_until);
  assert.ok(confirmedFor >= hour * 1000 - 2000, 'an hour later than the sign-in');
  assert.equal((await stolen.get('/session')).status, 401);
  assert.equal((await person.get('/session')).status, 200);
});

test('guesses of a stolen cookie at the password are delayed like sign-ins', async () => {
  const person = await join(service, accountId, 'owner');
  const statuses = [];
  for (let guess = 0; guess < 5; guess += 1) {
    statuses.push((await person.post('/confirm', { password: 'incorrect horse' })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
});

test('visitors of one address are limited, and those of others and users are not', async () => {
  const person = await join(service, accountId, 'viewer');
  const flood = openBrowser(service);
  const replies = await Promise.all(Array.from({ length: 60 }, () => flood.get('/session')));
  const limited = replies.filter(({ status }) => status === 429);
  assert.ok(limited.length > 0, 'some of sixty in an instant');
  assert.equal((await openBrowser(service).get('/session')).status, 401);
  const headers = { 'x-forwarded-for': flood.address };
  assert.equal((await person.call('/session', { headers })).status, 200);
});

test('a session has the address that a trusted proxy names, and otherwise that of the connection', async () => {
  const behind = await join(service, accountId, 'viewer');
  assert.equal((await behind.get('/sessions')).body.sessions[0].address, behind.address);
  const open = await startTestService({ trustedProxies: ['192.0.2.0/24'] });
  const stranger = await join(open, (await open.createAccount()).accountId, 'viewer');
  assert.equal((await stranger.get('/sessions')).body.sessions[0].address, '127.0.0.1');
});

test('a change from another site is refused, with every method, and changes nothing', async () => {
  const person = await join(service, accountId, 'owner');
  const origins = [
    undefined,
    'null',
    'https://evil.example',
    'https://service.test',
    'http://service.test.evil.example',
    'http://service.test:81',
    'http://SERVICE.test',
  ];
  const changes: [method: string, path: string, body?: unknown][] = [
    ['POST', '/sign-out'],
    ['POST', '/account', { account_id: accountId }],
    ['DELETE', '/sessions'],
    ['PATCH', `/team/${person.userId}`, { role: 'viewer' }],
    ['POST', '/team/invitations', { email: 'evil@evil.example', role: 'owner' }],
    ['POST', '/sign-in', { email: person.email, password }],
  ];
  for (const sent of origins) {
    const headers: Record<string, string> = sent === undefined ? {} : { origin: sent };
    for (const [method, path, body] of changes) {
      const reply = await person.call(path, { method, body, headers });
      assert.deepEqual(codeOf(reply), [403, 'PERMISSION_DENIED'], `${sent} ${method} ${path}`);
      assert.equal(reply.headers.get('set-cookie'), null);
      assert.equal(reply.headers.get('access-control-allow-origin'), null);
    }
  }
  const { members, invitations } = (await person.get('/team')).body;
  const own = members.find((member: { user_id: string }) => member.user_id === person.userId);
  assert.equal(own.role, 'owner');
  assert.deepEqual(invitations, []);
});

test('the twenty-first session of a user ends the one that was not used for the longest time', async () => {
  const person = await join(service, accountId, 'viewer');
  for (let other = 0; other < 20; other += 1) {
    service.advanceSeconds(1);
    await signIn(person, `Browser/${other}`);
  }
  assert.equal((await person.get('/session')).status, 401);
});

async function signIn({ email }: Person, userAgent: string) {
  const browser = openBrowser(service);
  const headers = { origin, 'user-agent': userAgent };
  service.advanceSeconds(1);
  const reply = await browser.call('/sign-in', { body: { email, password }, headers });
  assert.equal(reply.status, 200);
  return browser;
}

async function lastSeen(userId: string): Promise<number> {
  const { rows } = await service.database.query<{ at: Date }>({
    text: 'select last_seen_at as at from sessions where user_id = $1',
    values: [userId],
  });
  return rows[0]?.at.getTime() ?? 0;
}

test('behind https the cookie has the prefix __Host- and is Secure', async () => {
  const publicUrl = 'https://pay.example';
  const secure = await startTestService({ publicUrl });
  const shop = await secure.createAccount();
  const token = await invite(secure, shop.accountId, 'viewer', newEmail());
  const reply = await secure.call(`/dashboard/api/invitation/${token}/password`, {
    headers: { origin: publicUrl },
    body: { password },
  });
  const [, secret] =
    /^__Host-session=([\w-]{43}); Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure, __Host-device=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/.exec(
      reply.headers.get('set-cookie') ?? '',
    ) ?? [];
  assert.ok(secret);
  const visit = (cookie: string) => secure.call('/dashboard/api/session', { headers: { cookie } });
  assert.equal((await visit(`__Host-session=${secret}`)).status, 200);
  assert.equal((await visit(`session=${secret}`)).status, 401, 'the plain name is not read');
});

async function count() {
  const { rows } = await service.database.query({
    text: `select (select count(*)::int from sessions) as sessions,
                  (select count(*)::int from invitations) as invitations,
                  (select count(*)::int from passkey_challenges) as passkey_challenges`,
  });
  return rows[0];
}
