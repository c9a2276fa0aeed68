import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soak } from '../../soak/run.ts';

test('kills at random moments lose nothing that was answered, and double nothing', async () => {
  const { troubles, verified, kills, creates } = await soak({
    seed: 20_261_115,
    minutesMax: 1,
    killsMax: 3,
    // Payments and refunds have their faults in the journeys' own tests, and in the long run.
    journeysPerRound: 0,
  });
  assert.deepEqual(troubles, []);
  assert.deepEqual(verified.breaches, []);
  assert.equal(kills.service + kills.database + kills.both, 3);
  assert.ok(creates > 0 && verified.orders >= creates);
});
