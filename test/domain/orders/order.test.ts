import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpen, type OrderStatus, orderStatus } from '../../../src/domain/orders/order.ts';

const lapsesAt = new Date('2026-03-02T10:00:00.000Z');
const before = new Date(lapsesAt.getTime() - 1);
const after = new Date(lapsesAt.getTime() + 1);

test('an unpaid order lapses by time alone', () => {
  const cases: ReadonlyArray<readonly [OrderStatus, Date, OrderStatus]> = [
    ['new', before, 'new'],
    ['new', lapsesAt, 'lapsed'],
    ['new', after, 'lapsed'],
    ['pending', before, 'pending'],
    ['pending', lapsesAt, 'lapsed'],
    ['pending', after, 'lapsed'],
  ];
  for (const [savedStatus, now, expected] of cases) {
    assert.equal(orderStatus({ savedStatus, lapsesAt }, now), expected, now.toISOString());
  }
});

test('a completed order stays completed', () => {
  for (const now of [before, lapsesAt, after, new Date('2126-01-01T00:00:00Z')]) {
    assert.equal(orderStatus({ savedStatus: 'completed', lapsesAt }, now), 'completed');
  }
});

test('an order that lapsed early, by failed attempts, stays lapsed', () => {
  for (const now of [before, lapsesAt, after]) {
    assert.equal(orderStatus({ savedStatus: 'lapsed', lapsesAt }, now), 'lapsed');
  }
});

test('only new and pending orders are open', () => {
  const open = { new: true, pending: true, completed: false, lapsed: false };
  for (const [status, expected] of Object.entries(open)) {
    assert.equal(isOpen(status as OrderStatus), expected, status);
  }
});
