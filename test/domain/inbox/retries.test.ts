import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  failedTryOf,
  isDue,
  nextTryOf,
  resultOfRetry,
  retrySeconds,
} from '../../../src/domain/inbox/retry-schedule.ts';
import { addSeconds } from '../../../src/domain/time.ts';
import { deliveryOf, now, resultOf } from './delivery.ts';

const later = addSeconds(now, 60);

suite('the inbox: the retry schedule', () => {
  test('intervals grow, and together they are about three days', () => {
    assert.deepEqual(
      retrySeconds,
      retrySeconds.toSorted((a, b) => a - b),
    );
    const days = retrySeconds.reduce((sum, seconds) => sum + seconds, 0) / 86_400;
    assert.ok(days > 3 && days < 4, `${days} days`);
  });

  test('an unsuccessful try is counted and plans the next one', () => {
    assert.deepEqual(nextTryOf({ tries: 0 }, now, 'parked'), {
      state: 'parked',
      tries: 1,
      nextTryAt: addSeconds(now, 1),
      finishedAt: null,
    });
  });

  test('after the last try the delivery is dead', () => {
    const tries = retrySeconds.length;
    assert.equal(nextTryOf({ tries: tries - 1 }, now, 'parked').state, 'parked');
    assert.deepEqual(nextTryOf({ tries }, now, 'parked'), {
      state: 'dead',
      tries: tries + 1,
      nextTryAt: null,
      finishedAt: now,
    });
  });

  test('a try that ended in an error counts like any other', () => {
    const { state, tries, why } = failedTryOf({ tries: 3 }, now);
    assert.deepEqual([state, tries], ['received', 4]);
    assert.equal(why, 'it could not be applied and is tried again');
    assert.equal(failedTryOf({ tries: retrySeconds.length }, now).state, 'dead');
  });

  test('a delivery is due from its time on while it is unfinished', () => {
    assert.equal(isDue({ state: 'parked', nextTryAt: now }, now), true);
    assert.equal(isDue({ state: 'parked', nextTryAt: later }, now), false);
    assert.equal(isDue({ state: 'dead', nextTryAt: null }, now), false);
    assert.equal(isDue({ state: 'processed', nextTryAt: now }, now), false);
  });
});

suite('the inbox: a delivery that is applied again although no try is due', () => {
  const parked = resultOf({
    state: 'parked',
    orderId: null,
    tries: 5,
    nextTryAt: later,
    finishedAt: null,
  });

  test('it costs no try when it still cannot be applied', () => {
    const delivery = deliveryOf({ state: 'parked', tries: 4, nextTryAt: now });
    const { state, tries, nextTryAt } = resultOfRetry(delivery, parked);
    assert.deepEqual([state, tries, nextTryAt], ['parked', 4, now]);
  });

  test('a dead delivery stays dead until it can be applied', () => {
    const dead = deliveryOf({ state: 'dead', tries: 16, finishedAt: now });
    assert.equal(resultOfRetry(dead, parked).state, 'dead');
    assert.equal(resultOfRetry(dead, resultOf()).state, 'processed');
  });

  test('a delivery that a person closed stays closed until it changes something', () => {
    const closed = deliveryOf({ state: 'resolved', flags: ['amount_mismatch'], orderId: 'o_1' });
    const same = resultOf({ state: 'needs_review', flags: ['amount_mismatch'], orderId: 'o_1' });
    assert.equal(resultOfRetry(closed, parked), closed);
    assert.equal(resultOfRetry(closed, same), closed);
    const other = resultOf({ state: 'needs_review', flags: ['over_refunded'], orderId: 'o_1' });
    assert.equal(resultOfRetry(closed, other), other);
    const processed = resultOf({ orderId: 'o_1' });
    assert.equal(resultOfRetry(closed, processed), processed);
  });

  test('a delivery that was applied before stays as it was when nothing changes', () => {
    const applied = deliveryOf({ state: 'processed', orderId: 'o_1', finishedAt: now });
    assert.equal(resultOfRetry(applied, resultOf({ state: 'stale', orderId: 'o_1' })), applied);
    const flagged = deliveryOf({
      state: 'needs_review',
      why: 'w',
      flags: ['dispute'],
      orderId: 'o_1',
    });
    const same = resultOf({ state: 'needs_review', why: 'w', flags: ['dispute'], orderId: 'o_1' });
    assert.equal(resultOfRetry(flagged, same), flagged);
  });

  test('an ignored delivery takes the result when it belongs to an order by now', () => {
    const ignored = deliveryOf({ state: 'ignored', finishedAt: now });
    const result = resultOf({ state: 'stale' });
    assert.equal(resultOfRetry(ignored, result), result);
  });
});
