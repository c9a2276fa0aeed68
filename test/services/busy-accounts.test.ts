import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paymentLimits } from '../../src/domain/payments/limits.ts';
import { createBusyAccounts } from '../../src/use-cases/payments/poll-due.ts';

test('an account may have many polls in progress only after an answer', () => {
  const accounts = createBusyAccounts(() => 0);
  accounts.start('a');
  assert.deepEqual(accounts.list(), ['a']);
  accounts.end('a', true);
  for (let polls = 1; polls < paymentLimits.pollsOfAccountMax; polls += 1) accounts.start('a');
  assert.deepEqual(accounts.list(), []);
  accounts.start('a');
  assert.deepEqual(accounts.list(), ['a']);
});

test('an account without an answer is left out, longer each time, until there is one', () => {
  let nowMs = 0;
  const accounts = createBusyAccounts(() => nowMs);
  const failTogether = () => {
    for (const step of ['start', 'end'] as const) {
      for (let poll = 0; poll < paymentLimits.pollClaimMax; poll += 1) accounts[step]('a', false);
    }
  };
  /** Returns how long the account is left out. */
  const waitForEnd = () => {
    const fromMs = nowMs;
    while (accounts.list().length > 0) nowMs += 1_000;
    return nowMs - fromMs;
  };
  const pauses = Array.from({ length: 6 }, () => {
    failTogether();
    return waitForEnd();
  });
  assert.deepEqual(pauses, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  accounts.start('a');
  accounts.end('a', true);
  assert.deepEqual(accounts.list(), []);
  failTogether();
  assert.equal(waitForEnd(), paymentLimits.providerPauseMs);
});
