/** Guessing passwords for long: many users, many addresses, known devices. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../../src/domain/audit.ts';
import { pruneSignIns } from '../../../src/use-cases/upkeep/prune.ts';
import { resetUser } from '../../../src/use-cases/users/invite-user.ts';
import { auditOf } from '../../support/audit.ts';
import { invite, join, newEmail, openBrowser, origin, password } from '../../support/dashboard.ts';
import { startTestService } from '../../support/test-service.ts';

const service = await startTestService();
service.stopClock();
const { accountId } = await service.createAccount();
const person = await join(service, accountId, 'operator');
const wrong = 'incorrect horse battery';

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

function fromAddress(address: string, body: { email: string; password: string }) {
  return openBrowser(service).call('/sign-in', {
    body,
    headers: { origin: 'http://service.test', 'x-forwarded-for': `1.2.3.4, ${address}` },
  });
}
