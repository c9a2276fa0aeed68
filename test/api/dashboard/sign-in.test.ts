/** Signing in with a password: who gets in, what strangers learn, and how guessing is slowed down. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { resetUser } from '../../../src/use-cases/users/reset-user.ts';
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
    /^session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
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

test('one address that tries many users is delayed, and others are not', async () => {
  const attacker = '203.0.113.7';
  const statuses = [];
  for (let guess = 0; guess < 21; guess += 1) {
    const reply = await fromAddress(attacker, { email: newEmail(), password: wrong });
    statuses.push(reply.status);
    service.advanceSeconds(0.1);
  }
  assert.deepEqual(statuses, [...Array(20).fill(401), 429]);
  const own = { email: person.email, password };
  assert.equal((await fromAddress(attacker, own)).status, 429, 'not even a user of ours');
  assert.equal((await fromAddress('203.0.113.8', own)).status, 200);
  service.advanceSeconds(2);
  assert.equal((await fromAddress(attacker, own)).status, 200);
  // A success of the same address does not give it new guesses.
  assert.equal((await fromAddress(attacker, { ...own, password: wrong })).status, 401);
  assert.equal((await fromAddress(attacker, own)).status, 429);
});

test('a sign-in is in the audit log with the address, and a failed one is not', async () => {
  const { email, userId, address: own } = await join(service, accountId, 'viewer');
  await fromAddress('192.0.2.44', { email, password: wrong });
  service.advanceSeconds(1);
  await fromAddress('192.0.2.45', { email, password });
  const entries = (await auditOf(service, accountId)).filter(({ actor }) => actor === email);
  assert.deepEqual(
    entries.map(({ action, address }) => [action, address]),
    [
      ['user.joined', own],
      ['user.signed_in', '192.0.2.45'],
    ],
  );
  assert.deepEqual(new Set(entries.map((entry) => entry.user_id)), new Set([userId]));
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
