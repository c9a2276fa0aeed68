import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throttle } from '../../src/domain/throttle.ts';

test('what happens often is told at once, and then seldom, with how often it happened', () => {
  const heard: [string, number][] = [];
  let nowMs = 5;
  const happen = throttle(
    1_000,
    (told: string, times) => heard.push([told, times]),
    () => nowMs,
  );
  happen('a');
  happen('b');
  nowMs += 999;
  happen('c');
  assert.deepEqual(heard, [['a', 1]]);
  nowMs += 1;
  happen('d');
  assert.deepEqual(heard, [
    ['a', 1],
    ['d', 3],
  ]);
});
