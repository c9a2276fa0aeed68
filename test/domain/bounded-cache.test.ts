import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBoundedCache } from '../../src/domain/bounded-cache.ts';

test('beyond its size a cache forgets what was used least recently', () => {
  const cache = createBoundedCache<{ value: number }>(3);
  for (const key of ['a', 'b', 'c']) cache.set(key, { value: 1 });
  cache.get('a');
  cache.set('c', { value: 2 });
  cache.set('d', { value: 1 });
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)?.value),
    [1, undefined, 2, 1],
  );
});

test('a cache stays within its size, however many entries come and go', () => {
  const cache = createBoundedCache<object>(100);
  for (let count = 0; count < 10_000; count += 1) {
    cache.set(`key ${count % 317}`, {});
    if (count % 3 === 0) cache.delete(`key ${count % 211}`);
    assert.ok(cache.size <= 100);
  }
});
