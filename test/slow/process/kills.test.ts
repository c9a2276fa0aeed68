import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from '../../../tools/soak/run.ts';

test('kills at random moments lose nothing that was answered, and do nothing twice', async () => {
  const { troubles, verified, kills, creates } = await soak({
    seed: 20_261_115,
    minutesMax: 1,
    killsMax: 3,
    // Faults of payments and refunds are tested in test/journey and in the soak run.
    journeysPerRound: 0,
  });
  assert.deepEqual(troubles, []);
  assert.deepEqual(verified.breaches, []);
  assert.equal(kills.service + kills.database + kills.both, 3);
  assert.ok(creates > 0 && verified.orders >= creates);
});
