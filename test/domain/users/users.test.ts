/** Rules about users: delays after failures, roles, networks, the names of the service. Contract 13.2. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addSeconds } from '../../../src/domain/time.ts';
import {
  decideFailures,
  type Failures,
  secondsToWait,
} from '../../../src/domain/users/back-off.ts';
import { networkOf } from '../../../src/domain/users/network.ts';
import { includesRole, isLastOwner } from '../../../src/domain/users/role.ts';
import { dashboardOrigins, dashboardUrl, relyingPartyId } from '../../../src/domain/users/site.ts';

const start = new Date('2026-11-17T08:00:00Z');

test('the delay begins with the fourth failure, doubles, and ends at 15 minutes', () => {
  let failures: Failures | undefined;
  let now = start;
  const delays = [];
  for (let failure = 0; failure < 16; failure += 1) {
    failures = decideFailures(failures, 4, now);
    delays.push(secondsToWait(failures.blockedUntil, now));
    now = failures.blockedUntil;
  }
  assert.deepEqual(delays, [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
});

test('whatever the failures, nobody is locked out for longer than 15 minutes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(100_000), { maxLength: 200 }),
      fc.integer({ min: 1, max: 30 }),
      (pauses, free) => {
        let failures: Failures | undefined;
        let now = start;
        for (const pause of pauses) {
          now = addSeconds(now, pause);
          failures = decideFailures(failures, free, now);
          assert.ok(secondsToWait(failures.blockedUntil, now) <= 900);
          assert.ok(secondsToWait(failures.blockedUntil, addSeconds(now, 900)) === 0);
        }
      },
    ),
  );
});

test('failures are forgotten after a day without another', () => {
  const before = { failures: 12, lastFailedAt: start, blockedUntil: start };
  assert.equal(decideFailures(before, 4, addSeconds(start, 86_399)).failures, 13);
  assert.equal(decideFailures(before, 4, addSeconds(start, 86_400)).failures, 1);
});

test('a role includes those below it', () => {
  assert.ok(includesRole('owner', 'viewer') && includesRole('operator', 'operator'));
  assert.ok(!includesRole('viewer', 'operator') && !includesRole('operator', 'owner'));
});

test('the only owner is the last one, and somebody else is not', () => {
  const members = [
    { accountId: 'a', userId: 'one', role: 'owner' },
    { accountId: 'a', userId: 'two', role: 'operator' },
  ] as const;
  assert.ok(isLastOwner(members, 'one'));
  assert.ok(!isLastOwner(members, 'two'));
  assert.ok(!isLastOwner([...members, { ...members[0], userId: 'three' }], 'one'));
});

const networks: [address: string, network: string][] = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
];
for (const [address, network] of networks) {
  test(`${address} belongs to ${network}`, () => assert.equal(networkOf(address), network));
}

test('a service on this machine is called localhost in links, and may be called by its address', () => {
  for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://0.0.0.0:8080']) {
    assert.equal(dashboardUrl(url), 'http://localhost:8080/dashboard');
    assert.equal(relyingPartyId(url), 'localhost');
    assert.deepEqual(dashboardOrigins(url), [
      'http://localhost:8080',
      'http://127.0.0.1:8080',
      'http://[::1]:8080',
    ]);
  }
  assert.equal(dashboardUrl('https://pay.example.com/x/'), 'https://pay.example.com/x/dashboard');
  assert.deepEqual(dashboardOrigins('https://pay.example.com/x'), ['https://pay.example.com']);
  assert.equal(relyingPartyId('https://pay.example.com:8443'), 'pay.example.com');
});
