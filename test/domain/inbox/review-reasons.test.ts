/** Whoever reads the review list knows no codes: every reason has a sentence and an advice. Contract 13.6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  adviceFor,
  deliveryFlags,
  reviewFlags,
  reviewReasons,
} from '../../../src/domain/review-flag.ts';

test('every flag of the code, and every other reason, has a plain sentence and an advice', () => {
  assert.deepEqual(Object.keys(reviewReasons), [
    ...reviewFlags,
    'dead',
    'dispute_open',
    'needs_review',
  ]);
  for (const [reason, { sentence, advice }] of Object.entries(reviewReasons)) {
    assert.match(sentence, /^[A-Z][^_]+\.$/, reason);
    assert.match(advice, /^[A-Z][^_]+\.$/, reason);
  }
  const sentences = Object.values(reviewReasons).map(({ sentence }) => sentence);
  assert.equal(new Set(sentences).size, sentences.length);
});

test('several reasons have the advice of each', () => {
  assert.equal(
    adviceFor(['duplicate_capture', 'payment_reversed']),
    'Refund the payment: another one has paid for the order. Do not deliver, or ask for another payment: this one was taken back.',
  );
  assert.ok([...deliveryFlags].every((flag) => reviewFlags.includes(flag)));
});
