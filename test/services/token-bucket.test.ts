import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Bucket, takeToken } from '../../src/services/token-bucket.ts';

test('an idle second refills the bucket, and a longer one does not overfill it', () => {
  assert.equal(countTaken(5, [0, 0, 0, 0, 0, 0, 0]), 5);
  assert.equal(countTaken(5, [0, 0, 0, 0, 0, 200, 200, 400]), 7);
  assert.equal(countTaken(2, [0, 0, 60_000, 60_000, 60_000]), 4);
});

test('a clock that is set back neither adds nor removes tokens', () => {
  assert.equal(countTaken(1, [10_000, 0, 0, 9_000]), 1);
  assert.equal(countTaken(1, [10_000, 0, 11_000]), 2);
});

test('a lowered limit applies to a bucket that was fuller before', () => {
  const full = takeToken(undefined, 1_000, 0);
  let bucket: Bucket | undefined = full;
  let taken = 0;
  for (let tries = 0; tries < 10; tries += 1) {
    const after = takeToken(bucket, 2, 0);
    if (after) taken += 1;
    bucket = after ?? bucket;
  }
  assert.equal(taken, 2);
});

test('a run never exceeds the rate, and a caller who keeps to the rate is never refused', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), gaps, (perSecond, gapsMs) => {
      const timesMs = gapsMs.map(
        (
          (sum) => (gap: number) =>
            (sum += gap)
        )(0),
      );
      const seconds = ((timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0)) / 1_000;
      const taken = countTaken(perSecond, timesMs);
      assert.ok(taken <= perSecond * (1 + seconds) + 1e-6);
      const steady = gapsMs.map((_gap, index) => index * Math.ceil(1_000 / perSecond));
      assert.equal(countTaken(perSecond, steady), steady.length);
    }),
  );
});

function countTaken(perSecond: number, timesMs: readonly number[]): number {
  let bucket: Bucket | undefined;
  let taken = 0;
  for (const atMs of timesMs) {
    const after = takeToken(bucket, perSecond, atMs);
    if (after) taken += 1;
    bucket = after ?? bucket;
  }
  return taken;
}
