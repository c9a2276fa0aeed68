import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { deliveryStates, isUnfinished } from '../../../src/domain/inbox/delivery.ts';
import { answerOf, isRefused } from '../../../src/domain/inbox/incoming.ts';
import {
  findExceededLimit,
  finish,
  park,
  rejectTooMany,
  reportConflict,
} from '../../../src/domain/inbox/outcome.ts';
import type { OrderState } from '../../../src/domain/order-state/order-state.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import { deliveryOf, now } from './delivery.ts';

suite('the inbox: states and answers of deliveries', () => {
  test('received, parked and dead deliveries are unfinished, all others are finished', () => {
    const unfinished = deliveryStates.filter(isUnfinished);
    assert.deepEqual(unfinished, ['received', 'parked', 'dead']);
  });

  test('only a bearer caller is refused, and only for a delivery that is unfinished', () => {
    assert.equal(isRefused('bearer', 'parked'), true);
    assert.equal(isRefused('bearer', 'processed'), false);
    assert.equal(isRefused('provider', 'parked'), false);
  });

  test('the answer hides whether a delivery is dead or was closed by a person', () => {
    const statuses = [...deliveryStates, 'duplicate' as const].map((outcome) => [
      outcome,
      answerOf(deliveryOf(), outcome).status,
    ]);
    assert.deepEqual(Object.fromEntries(statuses), {
      received: 'parked',
      processed: 'processed',
      stale: 'stale',
      ignored: 'ignored',
      parked: 'parked',
      needs_review: 'needs_review',
      dead: 'parked',
      resolved: 'duplicate',
      expired: 'duplicate',
      duplicate: 'duplicate',
    });
  });

  test('the answer names the delivery, its order and the reason', () => {
    const delivery = deliveryOf({ orderId: 'o_0000000000000001', why: 'a reason' });
    assert.deepEqual(answerOf(delivery, 'needs_review'), {
      status: 'needs_review',
      deliveryId: delivery.deliveryId,
      orderId: 'o_0000000000000001',
      why: 'a reason',
    });
  });
});

suite('the inbox: what becomes of a delivery', () => {
  test('a finished delivery has no next try', () => {
    const { result } = finish(deliveryOf({ tries: 2 }), now, { state: 'stale', why: null });
    assert.deepEqual(result, {
      state: 'stale',
      why: null,
      flags: [],
      orderId: null,
      tries: 2,
      nextTryAt: null,
      finishedAt: now,
    });
  });

  test('a parked delivery is parked for the names it was given, and makes none known', () => {
    const { result, names, parkedFor } = park(deliveryOf(), ['INV-1'], now);
    assert.deepEqual(
      [result.state, result.orderId, names, parkedFor],
      ['parked', null, [], ['INV-1']],
    );
  });

  test('a delivery that names two orders is applied to none and names both', () => {
    const { result } = reportConflict(deliveryOf(), ['o_2', 'o_1'], now);
    assert.deepEqual(
      [result.state, result.orderId, result.flags],
      ['needs_review', null, ['reference_conflict']],
    );
    assert.equal(result.why, 'its references name different orders: o_1, o_2');
  });

  test('a dispute that names two orders keeps its own reason and flag beside the conflict', () => {
    const report = { why: 'a dispute', flags: ['dispute'] } as const;
    const { result } = reportConflict(deliveryOf(), ['o_1', 'o_2'], now, report);
    assert.deepEqual(result.flags, ['dispute', 'reference_conflict']);
    assert.match(result.why ?? '', /^a dispute; its references name different orders/);
  });

  test('no transaction is added beyond the limit, and existing ones may still change', () => {
    const { transactionsMax: max } = paymentLimits;
    assert.equal(isExceeded(orderOf(max - 1), orderOf(max)), false);
    assert.equal(isExceeded(orderOf(max), orderOf(max + 1)), true);
    assert.equal(isExceeded(orderOf(max + 1), orderOf(max + 1)), false);
  });

  test('no notice is added beyond the limit of a transaction, or of those that none has', () => {
    const { noticesMax: max } = paymentLimits;
    assert.equal(isExceeded(orderOf(1, max - 1), orderOf(1, max)), false);
    assert.equal(isExceeded(orderOf(1, max), orderOf(1, max + 1)), true);
    const held = (count: number) => ({ ...orderOf(0), held: Array(count) });
    assert.equal(isExceeded(held(max), held(max)), false);
    assert.equal(isExceeded(held(max), held(max + 1)), true);
  });

  test('a delivery beyond the limit is left to a person and linked to its order', () => {
    const { result } = rejectTooMany(deliveryOf(), 'o_1', 'it is full', now);
    assert.deepEqual(
      [result.state, result.why, result.orderId, result.flags],
      ['needs_review', 'it is full', 'o_1', ['too_many_transactions']],
    );
  });
});

function isExceeded(before: OrderState, after: OrderState): boolean {
  return findExceededLimit(before, after) !== undefined;
}

function orderOf(transactions: number, notices = 1): OrderState {
  const entry = () => ({ notices: Array(notices) });
  return { transactions: Array.from({ length: transactions }, entry), held: [] } as never;
}
