import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throttle } from '../../src/services/throttle.ts';

test('the first event is reported at once, later ones once per interval with their count', () => {
  const reports: [string, number][] = [];
  let nowMs = 5;
  const record = throttle(
    1_000,
    (event: string, times) => reports.push([event, times]),
    () => nowMs,
  );
  record('a');
  record('b');
  nowMs += 999;
  record('c');
  assert.deepEqual(reports, [['a', 1]]);
  nowMs += 1;
  record('d');
  assert.deepEqual(reports, [
    ['a', 1],
    ['d', 3],
  ]);
});
