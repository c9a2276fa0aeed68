import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankOf, refundStatuses } from '../../../src/domain/payments/notice.ts';

test('the statuses of refunds are ranked in the order in which they are listed', () => {
  const ranks = refundStatuses.map(rankOf);
  assert.deepEqual(
    ranks,
    ranks.toSorted((a, b) => a - b),
  );
  assert.ok(!ranks.includes(-1), 'each is a status of a payment too');
});
