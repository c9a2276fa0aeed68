/** The overview of a period: hours and days of a local time, exact sums. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTimeOfOrder, firstOrderIdAt, newOrderId } from '../../../src/domain/ids.ts';
import type { Figure } from '../../../src/domain/reports/figure.ts';
import { buildOverview, readPeriod } from '../../../src/domain/reports/overview.ts';

const india = 330;
const at = (text: string) => new Date(text);

test('days begin at midnight of the local time, and the ends of the period may cut them', () => {
  const period = readPeriod({
    from: at('2026-03-01T20:10:00Z'),
    to: at('2026-03-03T18:30:00Z'),
    bucket: 'day',
    offsetMinutes: india,
  });
  const { buckets } = buildOverview(period, []);
  assert.deepEqual(
    buckets.map(({ from, to }) => [from.toISOString(), to.toISOString()]),
    [
      ['2026-03-01T20:00:00.000Z', '2026-03-02T18:30:00.000Z'],
      ['2026-03-02T18:30:00.000Z', '2026-03-03T18:30:00.000Z'],
    ],
  );
});

test('sums are exact beyond what a number represents, by currency and by name', () => {
  const period = readPeriod({
    from: at('2026-03-01T00:00:00Z'),
    to: at('2026-03-01T02:00:00Z'),
    bucket: 'hour',
    offsetMinutes: 0,
  });
  const figure: Figure = {
    kind: 'paid',
    name: '',
    currency: 'INR',
    orders: 1,
    payments: 2,
    amount: 9_007_199_254_740_993n,
  };
  const place = (time: string, one: Figure) => ({ ...one, startsAt: at(time) });
  const overview = buildOverview(period, [
    place('2026-03-01T00:30:00Z', figure),
    place('2026-03-01T01:00:00Z', figure),
    place('2026-03-01T01:30:00Z', { ...figure, currency: 'USD', amount: 5n }),
    place('2026-03-01T01:30:00Z', { ...figure, kind: 'failed', payments: 1, amount: 0n }),
    place('2026-03-01T01:30:00Z', { ...figure, kind: 'mode', name: 'UPI', amount: 7n }),
  ]);
  const sum = { orders: 1, payments: 2, amount: 9_007_199_254_740_993n, currency: 'INR' };
  assert.deepEqual(overview.buckets[0]?.paid, [sum]);
  assert.deepEqual(overview.totals.paid, [
    { orders: 2, payments: 4, amount: 18_014_398_509_481_986n, currency: 'INR' },
    { orders: 1, payments: 2, amount: 5n, currency: 'USD' },
  ]);
  assert.equal(overview.buckets[0]?.successPermille, 1_000);
  assert.equal(overview.totals.successPermille, 857);
  assert.deepEqual(overview.modes, [
    { name: 'UPI', currency: 'INR', orders: 1, payments: 2, amount: 7n },
  ]);
  assert.equal(buildOverview(period, []).totals.successPermille, null);
});

test('a period is at most a year, and days for more than a month', () => {
  const from = at('2026-01-01T00:00:00Z');
  const read = (to: string, bucket: 'hour' | 'day', offsetMinutes = 0) =>
    readPeriod({ from, to: at(to), bucket, offsetMinutes });
  assert.equal(buildOverview(read('2027-01-01T00:00:00Z', 'day', india), []).buckets.length, 366);
  assert.throws(() => read('2026-01-01T00:00:00Z', 'day'), { merchantMessage: /later than from/ });
  assert.throws(() => read('2027-02-01T00:00:00Z', 'day'), { merchantMessage: /366 days/ });
  assert.throws(() => read('2026-03-01T00:00:00Z', 'hour'), { merchantMessage: /must be day/ });
  assert.throws(() => read('2026-01-02T00:00:00Z', 'day', 345), { merchantMessage: /half hours/ });
});

test('the time of an order can be read from its id', () => {
  const time = at('2026-03-01T20:10:07Z');
  assert.deepEqual(findTimeOfOrder(newOrderId(time)), time);
  assert.deepEqual(findTimeOfOrder(firstOrderIdAt(time)), time);
  for (const text of ['', 'o_', 'acc_0123456789abcdef', 'o_12345']) {
    assert.equal(findTimeOfOrder(text), undefined);
  }
});
