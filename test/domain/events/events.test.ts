import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attemptSeconds,
  nextAttemptAt,
  readRetryAfter,
} from '../../../src/domain/events/attempt-schedule.ts';
import { listEvents, listSilentIds } from '../../../src/domain/events/list-events.ts';
import type { OrderSummary } from '../../../src/domain/order-state/order-state.ts';
import type { Transaction } from '../../../src/domain/payments/transaction.ts';

const now = new Date('2026-11-16T12:00:00Z');
const open: OrderSummary = { status: 'pending', attempts: 1, flags: [], heldUntilMs: null };

/** Only the fields that events depend on. */
function transaction(
  fields: Partial<Record<'transactionId' | 'type' | 'status' | 'flags', unknown>>,
): Transaction {
  const usual = { transactionId: 't1', type: 'payment', status: 'pending', flags: [] };
  const none = { notices: [], hold: null, operations: null };
  return { ...usual, ...none, ...fields } as never;
}

test('a payment that succeeds completes the order: two events, the payment first', () => {
  const before = { summary: open, transactions: [transaction({})] };
  const after = {
    summary: { ...open, status: 'completed' as const },
    transactions: [transaction({ status: 'succeeded' })],
  };
  assert.deepEqual(listEvents(before, after), [
    { type: 'payment_success', transactionId: 't1', reason: null },
    { type: 'order_completed', transactionId: null, reason: null },
  ]);
  assert.deepEqual(listEvents(after, after), []);
});

test('what the shop started itself is no event', () => {
  const none = { summary: { ...open, status: 'new' as const }, transactions: [] };
  const started = { summary: open, transactions: [transaction({})] };
  assert.deepEqual(listEvents(none, started), []);
});

test('an authorisation that is being released is announced as reversing, then as reversed', () => {
  const payment = (status: string) => ({ summary: open, transactions: [transaction({ status })] });
  const types = (from: string, to: string) =>
    listEvents(payment(from), payment(to)).map(({ type }) => type);
  assert.deepEqual(types('authorized', 'reversing'), ['payment_reversed']);
  assert.deepEqual(types('reversing', 'reversed'), ['payment_reversed']);
});

test('an announced status that no longer holds is withdrawn', () => {
  const state = (status: string, order: OrderSummary['status']) => ({
    summary: { ...open, status: order },
    transactions: [transaction({ status })],
  });
  assert.deepEqual(listEvents(state('succeeded', 'completed'), state('pending', 'pending')), [
    { type: 'review_needed', transactionId: 't1', reason: 'status_withdrawn' },
    { type: 'review_needed', transactionId: null, reason: 'status_withdrawn' },
  ]);
});

test('a transaction that turns out to be another one is withdrawn', () => {
  const before = { summary: open, transactions: [transaction({ type: 'refund' })] };
  assert.deepEqual(listEvents(before, { summary: open, transactions: [] }), [
    { type: 'review_needed', transactionId: 't1', reason: 'transaction_removed' },
  ]);
});

test('a payment with the id of one that was removed withdraws the removal', () => {
  const none = { summary: open, transactions: [] };
  const pending = { summary: open, transactions: [transaction({})] };
  assert.deepEqual(listSilentIds(none, pending), ['t1']);
  assert.deepEqual(listEvents(none, pending, new Set(['t1'])), [
    { type: 'review_needed', transactionId: 't1', reason: 'status_withdrawn' },
  ]);
  const failed = { summary: open, transactions: [transaction({ status: 'failed' })] };
  assert.deepEqual(listSilentIds(none, failed), [], 'its own event says it');
  assert.deepEqual(listSilentIds(pending, pending), []);
});

test('an id that passes from a payment to a refund of the same status announces the refund', () => {
  const state = (type: string) => ({ summary: open, transactions: [transaction({ type })] });
  assert.deepEqual(listEvents(state('payment'), state('refund')), [
    { type: 'refund_pending', transactionId: 't1', reason: null },
  ]);
  assert.deepEqual(listEvents(state('refund'), state('payment')), [
    { type: 'review_needed', transactionId: 't1', reason: 'status_withdrawn' },
  ]);
});

test('every status of a refund is announced', () => {
  const refund = (status: string) => ({
    summary: open,
    transactions: [transaction({ type: 'refund', status })],
  });
  const types = (from: string, to: string) =>
    listEvents(refund(from), refund(to)).map(({ type }) => type);
  assert.deepEqual(types('new', 'pending'), ['refund_pending']);
  assert.deepEqual(types('pending', 'failed'), ['refund_failed']);
  assert.deepEqual(types('failed', 'succeeded'), ['refund_success']);
});

test('each new flag is announced once, on the transaction or on the order', () => {
  const before = { summary: open, transactions: [transaction({ flags: ['chargeback'] })] };
  const after = {
    summary: { ...open, flags: ['over_refunded' as const] },
    transactions: [transaction({ flags: ['chargeback', 'amount_mismatch'] })],
  };
  assert.deepEqual(listEvents(before, after), [
    { type: 'review_needed', transactionId: 't1', reason: 'amount_mismatch' },
    { type: 'review_needed', transactionId: null, reason: 'over_refunded' },
  ]);
  assert.deepEqual(listEvents(after, before), [], 'a flag that disappears is no event');
});

test('attempts follow the schedule, at most a fifth later, and end', () => {
  for (const [index, seconds] of attemptSeconds.entries()) {
    for (const random of [0, 0.5, 1]) {
      const at = nextAttemptAt(index + 1, now, { random });
      const waited = ((at?.getTime() ?? 0) - now.getTime()) / 1000;
      assert.ok(waited >= seconds && waited <= seconds * 1.2, `${index}: ${waited}`);
    }
  }
  assert.equal(nextAttemptAt(attemptSeconds.length + 1, now, { random: 0 }), null);
});

test('an endpoint may say when to come back, from a second to a day', () => {
  const waited = (retryAfterSeconds: number) =>
    ((nextAttemptAt(1, now, { random: 1, retryAfterSeconds })?.getTime() ?? 0) - now.getTime()) /
    1000;
  assert.deepEqual([0, 1, 90, 1e9, -5].map(waited), [1, 1, 90, 86_400, 1]);
  const last = attemptSeconds.length + 1;
  assert.equal(nextAttemptAt(last, now, { random: 0, retryAfterSeconds: 5 }), null);
});

test('Retry-After is seconds or a date of HTTP', () => {
  assert.equal(readRetryAfter('120', now), 120);
  assert.equal(readRetryAfter('Mon, 16 Nov 2026 12:01:00 GMT', now), 60);
  assert.equal(readRetryAfter('Mon, 16 Nov 2026 11:59:00 GMT', now), -60);
  for (const text of [undefined, '', '1.5', '-1', 'soon', '2026-11-16T12:01:00Z']) {
    assert.equal(readRetryAfter(text, now), undefined, text);
  }
});
