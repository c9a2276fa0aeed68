import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addSeconds,
  isoTimestamp,
  microsecondTimestamp,
  spacedTimestamp,
} from '../../src/domain/time.ts';

test('an order date is UTC with a space and six decimals', () => {
  assert.equal(spacedTimestamp(new Date('2026-02-03T04:05:06.007Z')), '2026-02-03 04:05:06.007000');
  assert.equal(spacedTimestamp(new Date('2026-12-31T23:59:59Z')), '2026-12-31 23:59:59.000000');
});

test('a token expiration is UTC with a T and six decimals', () => {
  assert.equal(
    microsecondTimestamp(new Date('2026-02-03T04:05:06.007Z')),
    '2026-02-03T04:05:06.007000',
  );
});

test('a time with an offset is written in UTC', () => {
  const time = new Date('2026-01-01T02:30:00.5+05:30');
  assert.equal(spacedTimestamp(time), '2025-12-31 21:00:00.500000');
});

test('both formats are read back as the same time', () => {
  const range = { min: new Date('1970-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
  fc.assert(
    fc.property(fc.date({ ...range, noInvalidDate: true }), (time) => {
      assert.match(spacedTimestamp(time), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/);
      assert.match(microsecondTimestamp(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
      assert.equal(Date.parse(`${microsecondTimestamp(time)}Z`), time.getTime());
      assert.equal(spacedTimestamp(time).replace(' ', 'T'), microsecondTimestamp(time));
    }),
    { numRuns: 1_000 },
  );
});

test('a timestamp equals toISOString, also when it comes from the cache', () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (time) => {
      assert.equal(isoTimestamp(time), time.toISOString());
    }),
    { numRuns: 1_000 },
  );
});

test('adding seconds returns a new date and does not change the old one', () => {
  const time = new Date('2026-02-28T23:59:30Z');
  assert.equal(addSeconds(time, 60).toISOString(), '2026-03-01T00:00:30.000Z');
  assert.equal(addSeconds(time, -0.5).toISOString(), '2026-02-28T23:59:29.500Z');
  assert.equal(time.toISOString(), '2026-02-28T23:59:30.000Z');
});
