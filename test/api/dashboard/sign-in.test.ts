/** Signing in with a password: who gets in, what strangers learn, and how guessing is slowed down. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { pruneSignIns } from '../../../src/use-cases/upkeep/prune.ts';
import { resetUser } from '../../../src/use-cases/users/invite-user.ts';
import { auditOf } from '../../support/audit.ts';
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
  const guess = () => fromAddress(attacker, { email: newEmail(), password: wrong });
  assert.equal((await guess()).status, 401);
  assert.equal((await guess()).status, 429);
  assert.equal((await fromAddress(attacker, own)).status, 200, 'the user is known there now');
});

test('failures of strangers delay no known device, no known address and no confirmation', async () => {
  const member = await join(service, accountId, 'owner');
  const { email, address } = member;
  const stranger = (text: string) => fromAddress('192.0.2.90', { email, password: text });
  // At the address of the user, too.
  for (let guess = 0; guess < 20; guess += 1) {
    service.advanceSeconds(0.1);
    await fromAddress(address, { email: newEmail(), password: wrong });
  }
  for (let guess = 0; guess < 4; guess += 1) assert.equal((await stranger(wrong)).status, 401);
  assert.equal((await fromAddress(address, { email: newEmail(), password })).status, 429);
  assert.equal((await stranger(password)).status, 429, 'not even with the password');

  assert.equal((await member.post('/confirm', { password })).status, 200);
  const elsewhere = { origin, 'x-forwarded-for': '192.0.2.91' };
  const onTheRoad = { body: { email, password }, headers: elsewhere };
  assert.equal((await member.call('/sign-in', onTheRoad)).status, 200, 'the device');
  assert.equal((await fromAddress(address, { email, password })).status, 200, 'the address');
  assert.equal((await stranger(password)).status, 429, 'it helps no stranger');
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

test('a device is known for its own user, for thirty days, and until a reset', async () => {
  const [one, other] = [
    await join(service, accountId, 'viewer'),
    await join(service, accountId, 'viewer'),
  ];
  const block = async () => {
    for (let guess = 0; guess < 4; guess += 1) {
      await fromAddress('192.0.2.92', { email: one.email, password: wrong });
    }
  };
  const from = (device: string | undefined) =>
    openBrowser(service).call('/sign-in', {
      body: { email: one.email, password },
      headers: { origin, cookie: `device=${device}` },
    });
  await block();
  assert.equal((await from(other.device())).status, 429, 'the device of another user');
  assert.equal((await from('A'.repeat(43))).status, 429, 'a device that nobody knows');
  assert.equal((await from(one.device())).status, 200);
  service.advanceSeconds(29 * 86_400);
  await pruneSignIns(service.services, () => false);
  await block();
  assert.equal((await from(one.device())).status, 200);
  service.advanceSeconds(30 * 86_400);
  await block();
  assert.equal((await from(one.device())).status, 429);
  await pruneSignIns(service.services, () => false);

  service.advanceSeconds(900);
  assert.equal((await from(one.device())).status, 200);
  await resetUser(service.services, commandLine, one.email);
  await block();
  assert.equal((await from(one.device())).status, 429);
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

test('a flood of failures leaves few entries, in each account of the user, and none without one', async () => {
  const second = (await service.createAccount()).accountId;
  const { email, userId, ...member } = await join(service, accountId, 'viewer');
  const token = await invite(service, second, 'viewer', email);
  assert.equal((await member.post(`/invitation/${token}/join`)).status, 200);
  const countAll = async () =>
    (await service.database.query({ text: 'select from audit' })).rowCount ?? 0;
  for (let guess = 0; guess < 60; guess += 1) {
    service.advanceSeconds(901);
    const { status } = await fromAddress(`192.0.2.${100 + guess}`, { email, password: wrong });
    assert.equal(status, 401);
    assert.equal(
      (await fromAddress('192.0.2.99', { email, password: wrong })).status,
      guess < 2 ? 401 : 429,
    );
  }
  for (const account of [accountId, second]) {
    const failures = (await auditOf(service, account))
      .filter(({ object, action }) => object === userId && action === 'user.sign_in_failed')
      .map(({ details }) => Number(details.failures))
      .sort((one, other) => one - other);
    assert.deepEqual(failures, [1, 2, 4, 8, 16, 32]);
  }
  const before = await countAll();
  await fromAddress('192.0.2.98', { email: newEmail(), password: wrong });
  assert.equal(await countAll(), before);
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
