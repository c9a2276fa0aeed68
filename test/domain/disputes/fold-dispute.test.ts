import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type DisputeNotice,
  disputeStatuses,
  isFinalDispute,
  type StoredDisputeNotice,
} from '../../../src/domain/disputes/dispute.ts';
import { foldDispute } from '../../../src/domain/disputes/fold-dispute.ts';

type Given = Omit<DisputeNotice, 'disputeId'>;

const toStored = (given: Given, index: number): StoredDisputeNotice => ({
  disputeId: 'disp_1',
  provider: 'partner',
  deliveryKey: `key ${index}`,
  ...given,
});

const fold = (...given: readonly Given[]) => foldDispute(given.map(toStored));

const open = (occurredAtMs: number, more: Given = {}): Given => ({
  status: 'open',
  occurredAtMs,
  ...more,
});
const asking = (occurredAtMs: number): Given => ({ asksForAction: true, occurredAtMs });

describe('the status of a dispute', () => {
  test('is the newest of those that are not final', () => {
    const review: Given = { status: 'under_review', occurredAtMs: 2 };
    assert.equal(fold(review, open(1)).status, 'under_review');
    assert.equal(fold(review, open(3)).status, 'open');
  });

  test('is the highest of the final ones, whatever their times', () => {
    const at = (status: 'closed' | 'won' | 'lost', occurredAtMs: number): Given => ({
      status,
      occurredAtMs,
    });
    assert.equal(fold(at('closed', 1), open(9)).status, 'closed');
    assert.equal(fold(at('won', 1), at('closed', 9)).status, 'won');
    assert.equal(fold(at('lost', 1), at('won', 9)).status, 'lost');
  });

  test('is open if an answer is asked for and nothing else is known', () => {
    assert.deepEqual([fold(asking(1)).status, fold(asking(1)).actionRequired], ['open', true]);
  });
});

describe('an answer is required', () => {
  const required = (...given: readonly Given[]) => fold(...given).actionRequired;

  test('until a newer event', () => {
    assert.equal(required(open(1), asking(2)), true);
    assert.equal(required(asking(2), open(2)), true);
    assert.equal(required(asking(2), open(3)), false);
    assert.equal(required(asking(2), open(3), asking(4)), true);
  });

  test('although the provider is read and the dispute is still open', () => {
    assert.equal(required(asking(2), open(3, { isRead: true })), true);
    const review: Given = { status: 'under_review', occurredAtMs: 3, isRead: true };
    assert.equal(required(asking(2), review), false);
  });

  test('never once it is final', () => {
    assert.equal(required(asking(9), { status: 'won', occurredAtMs: 1 }), false);
  });
});

test('a field comes from the notice that decides the status, or from the newest that has it', () => {
  const dispute = fold(
    { status: 'lost', occurredAtMs: 1, amountDeducted: 500 },
    open(9, { amountDeducted: 0, phase: 'arbitration' }),
    open(5, { phase: 'chargeback', respondByMs: 77 }),
  );
  assert.deepEqual(
    [dispute.amountDeducted, dispute.phase, dispute.respondByMs],
    [500, 'arbitration', 77],
  );
});

test('the order of arrival and repeats make no difference', () => {
  const notices = fc.array(
    fc.record(
      {
        status: fc.constantFrom(...disputeStatuses),
        asksForAction: fc.constant(true as const),
        isRead: fc.constant(true as const),
        occurredAtMs: fc.nat({ max: 3 }),
        amount: fc.nat({ max: 3 }),
        phase: fc.constantFrom('fraud', 'chargeback'),
      },
      { requiredKeys: [] },
    ),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(notices, fc.infiniteStream(fc.nat()), (given, random) => {
      const stored = given.map(toStored);
      const expected = foldDispute(stored);
      const numbers = [...random.take(stored.length)];
      const shuffled = stored.toSorted(
        (a, b) => (numbers[stored.indexOf(a)] ?? 0) - (numbers[stored.indexOf(b)] ?? 0),
      );
      assert.deepEqual(foldDispute([...shuffled, ...stored]), expected);
      const reported = given.flatMap(({ status }) => status ?? []).filter(isFinalDispute);
      assert.equal(isFinalDispute(expected.status), reported.length > 0);
      if (reported.length > 0) assert.equal(expected.actionRequired, false);
    }),
  );
});
