/** Signing in with a password: who gets in, what strangers learn, and how guessing is slowed down. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { resetUser } from '../../../src/use-cases/users/invite-user.ts';
import { auditOf } from '../../support/audit.ts';
import { codeOf, join, newEmail, openBrowser, password } from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
service.stopClock();
const { accountId } = await service.createAccount();
const person = await join(service, accountId, 'operator');
const wrong = 'incorrect horse battery';

test('a user signs in, in any spelling of the address, and sees their account', async () => {
  const browser = openBrowser(service);
  const email = ` ${person.email.toUpperCase()} `;
  const { status, body, headers } = await browser.post('/sign-in', { email, password });
  assert.equal(status, 200);
  const { session, ...seen } = body;
  const account = { account_id: accountId, name: body.account.name, role: 'operator' };
  assert.deepEqual(seen, {
    user: { user_id: person.userId, email: person.email, has_password: true, has_passkey: false },
    accounts: [{ ...account, suspended: false }],
    account: { ...account, suspended: false },
  });
  assert.match(session.session_id, /^ses_/);
  assert.match(
    headers.get('set-cookie') ?? '',
    /^session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict, device=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(headers.get('cache-control'), 'no-store');
  const again = await browser.get('/session');
  assert.deepEqual([again.status, again.body], [200, body]);
});

test('an unknown user and a wrong password get the same answer', async () => {
  const stranger = await openBrowser(service).post('/sign-in', { email: newEmail(), password });
  const mistaken = await openBrowser(service).post('/sign-in', {
    email: person.email,
    password: wrong,
  });
  assert.equal(stranger.status, 401);
  assert.deepEqual([mistaken.status, mistaken.body], [stranger.status, stranger.body]);
  assert.deepEqual([...mistaken.headers.keys()], [...stranger.headers.keys()]);
  assert.equal(stranger.headers.get('set-cookie'), null);
  assert.equal(stranger.headers.get('www-authenticate'), null);
});

test('an unknown user costs a hash like a known one, and so does one without a password', async () => {
  const passkeyOnly = await join(service, accountId, 'viewer');
  await resetUser(service.services, commandLine, passkeyOnly.email);
  const known = await join(service, accountId, 'viewer');
  const emails = { known: known.email, unknown: newEmail(), none: passkeyOnly.email };
  const times: Record<string, number> = {};
  for (let round = 0; round < 3; round += 1) {
    for (const [who, email] of Object.entries(emails)) {
      const startedAt = performance.now();
      await fromAddress('192.0.2.1', { email, password: wrong });
      times[who] = Math.min(times[who] ?? Infinity, performance.now() - startedAt);
    }
  }
  // A hash takes tens of milliseconds; an answer without one takes a few.
  const { known: usual = 0, unknown = 0, none = 0 } = times;
  assert.ok(Math.min(unknown, none) > usual / 4, JSON.stringify(times));
});

test('after a few failures sign-ins of the user are delayed, the right password too, and not for ever', async () => {
  const { email } = await join(service, accountId, 'viewer');
  const statuses = [];
  for (let guess = 0; guess < 5; guess += 1) {
    statuses.push((await openBrowser(service).post('/sign-in', { email, password: wrong })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
  const right = await openBrowser(service).post('/sign-in', { email, password });
  assert.deepEqual(codeOf(right), [429, 'RATE_LIMITED']);
  assert.equal(right.headers.get('retry-after'), '1');
  service.advanceSeconds(1);
  const mistaken = await openBrowser(service).post('/sign-in', { email, password: wrong });
  assert.equal(mistaken.status, 401);
  const delayed = await openBrowser(service).post('/sign-in', { email, password });
  assert.deepEqual([delayed.status, delayed.headers.get('retry-after')], [429, '2']);
  service.advanceSeconds(2);
  assert.equal((await openBrowser(service).post('/sign-in', { email, password })).status, 200);
  // A success forgets the failures.
  const later = await openBrowser(service).post('/sign-in', { email, password: wrong });
  assert.equal(later.status, 401);
  assert.equal((await openBrowser(service).post('/sign-in', { email, password })).status, 200);
});

test('an address that does not belong to a user is delayed in the same way', async () => {
  const email = newEmail();
  const statuses = [];
  for (let guess = 0; guess < 5; guess += 1) {
    statuses.push((await openBrowser(service).post('/sign-in', { email, password })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
});

test('of many guesses at a time no more are looked at than one after the other', async () => {
  const { email } = await join(service, accountId, 'viewer');
  const guesses = Array.from({ length: 12 }, (_, index) =>
    fromAddress(`198.51.100.${index}`, { email, password: wrong }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, 4);
  assert.equal(statuses.filter((status) => status === 429).length, 8);
});

test('a known device has a delay of its own, which no guess gets around', async () => {
  const member = await join(service, accountId, 'viewer');
  const { email } = member;
  const statuses = [];
  for (let guess = 0; guess < 6; guess += 1) {
    statuses.push((await member.post('/sign-in', { email, password: wrong })).status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 429, 429]);
  assert.equal((await member.post('/sign-in', { email, password })).status, 429);
  service.advanceSeconds(1);
  assert.equal((await member.post('/sign-in', { email, password: wrong })).status, 401);
  assert.equal((await member.post('/sign-in', { email, password })).status, 429);
  // Of many at a time no more are looked at.
  service.advanceSeconds(2);
  const many = Array.from({ length: 8 }, () => member.post('/sign-in', { email, password: wrong }));
  const looked = (await Promise.all(many)).filter(({ status }) => status === 401);
  assert.equal(looked.length, 1);
});

test('sign-ins are in the audit log with their address, those that failed too', async () => {
  const { email, userId, address: own } = await join(service, accountId, 'viewer');
  service.advanceSeconds(1);
  await fromAddress('192.0.2.44', { email, password: wrong });
  service.advanceSeconds(1);
  await fromAddress('192.0.2.45', { email, password });
  const entries = (await auditOf(service, accountId)).filter(({ object }) => object === userId);
  assert.deepEqual(
    entries.map(({ action, actor, address, user_id }) => [action, actor, address, user_id]),
    [
      ['user.joined', email, own, userId],
      ['user.sign_in_failed', 'unknown', '192.0.2.44', null],
      ['user.signed_in', email, '192.0.2.45', userId],
    ],
  );
  assert.deepEqual(entries[1]?.details, { email, failures: 1 });
});

const wrongBodies: [name: string, body: unknown][] = [
  ['no password', { email: 'a@b.example' }],
  ['a number as password', { email: 'a@b.example', password: 123456789012 }],
  ['an object as address', { email: { $ne: null }, password }],
  ['a list', []],
  ['text', 'email=a'],
];
for (const [name, body] of wrongBodies) {
  test(`a sign-in with ${name} is answered 400`, async () => {
    assert.equal((await openBrowser(service).post('/sign-in', body)).status, 400);
  });
}

test('a body that is not declared as JSON is refused', async () => {
  const headers = { origin: 'http://service.test', 'content-type': 'text/plain' };
  const body = JSON.stringify({ email: person.email, password });
  const reply = await openBrowser(service).call('/sign-in', { method: 'POST', headers, body });
  assert.deepEqual(codeOf(reply), [400, 'INVALID_REQUEST_PARAMETER']);
});

test('no log line and no row has a password, a cookie or the token of a link', async () => {
  const { rows } = await service.database.query<{ text: string }>({
    text: `select concat(
             (select string_agg(to_jsonb(u)::text, '') from users u),
             (select string_agg(to_jsonb(s)::text, '') from sessions s),
             (select string_agg(to_jsonb(i)::text, '') from invitations i),
             (select string_agg(to_jsonb(a)::text, '') from audit a)) as text`,
  });
  const everything = `${rows[0]?.text}${service.logText()}`;
  for (const secret of [password, wrong, person.cookie() ?? '-']) {
    assert.ok(!everything.includes(secret));
  }
  assert.ok(!service.logText().includes('@team.example'));
});

function fromAddress(address: string, body: { email: string; password: string }) {
  return openBrowser(service).call('/sign-in', {
    body,
    headers: { origin: 'http://service.test', 'x-forwarded-for': `1.2.3.4, ${address}` },
  });
}
