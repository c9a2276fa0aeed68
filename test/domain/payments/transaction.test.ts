import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newTransactionId } from '../../../src/domain/order-state/matching.ts';
import { failureReason } from '../../../src/domain/payments/failure.ts';
import {
  type PaymentNotice,
  paymentStatuses,
  type RefundNotice,
  type RefundStatus,
  refundStatuses,
} from '../../../src/domain/payments/notice.ts';
import {
  isFinal,
  matchesExpected,
  type Payment,
  type Stored,
  withFlags,
} from '../../../src/domain/payments/transaction.ts';
import type { ReviewFlag } from '../../../src/domain/review-flag.ts';
import { foldPayment, foldRefund } from '../../support/folded.ts';

const expected = { total: 11_800, currency: 'INR' };
const declined = failureReason('DECLINED_BY_BANK', 'declined');

test('a payment has the higher of any two statuses, in any order of arrival', () => {
  for (const [rank, higher] of paymentStatuses.entries()) {
    for (const lower of paymentStatuses.slice(0, rank)) {
      const [low, high] = [{ status: lower }, { status: higher, voidPspId: 'void_1' }];
      assert.equal(foldOf(low, high).status, higher);
      assert.equal(foldOf(high, low).status, higher);
    }
  }
});

test('a refund has the higher of any two statuses, and a failure with a success is flagged', () => {
  for (const [rank, higher] of refundStatuses.entries()) {
    for (const lower of refundStatuses.slice(0, rank)) {
      for (const statuses of [
        [lower, higher],
        [higher, lower],
      ]) {
        const refund = foldRefundOf(...statuses);
        assert.equal(refund.status, higher);
        const isConflict = lower === 'failed' && higher === 'succeeded';
        assert.deepEqual(refund.flags, isConflict ? ['refund_conflict'] : []);
      }
    }
  }
});

test('a payment without notices is new', () => {
  assert.deepEqual(foldOf(), {
    type: 'payment',
    transactionId: 'o_1-261114100000',
    provider: 'partner',
    start: null,
    notices: [],
    pspTransactionId: null,
    status: 'new',
    amount: null,
    currency: null,
    startedAtMs: null,
    recordedAtMs: null,
    finishedAtMs: null,
    message: null,
    failure: null,
    flags: [],
    paymentMode: null,
    subPaymentMode: null,
    paymentArn: null,
    paymentAcquirer: null,
    customerFee: null,
    offerId: null,
    offerDiscount: null,
    captures: null,
    voided: null,
    capturedLimit: null,
    unknownRefunds: null,
    disputes: null,
    hold: null,
    operations: null,
    partialCapture: null,
    authorizedAtMs: null,
  });
});

test('a field comes from the highest notice that has it, then the newest, then by key', () => {
  const cases: ReadonlyArray<{ rule: string; notices: NoticeFields[]; arn: string }> = [
    {
      rule: 'rank before time',
      notices: [
        { status: 'succeeded', occurredAtMs: 1, paymentArn: 'high' },
        { status: 'failed', occurredAtMs: 9, paymentArn: 'low' },
      ],
      arn: 'high',
    },
    {
      rule: 'a notice without the field is passed over',
      notices: [
        { status: 'succeeded', occurredAtMs: 9 },
        { status: 'authorized', occurredAtMs: 1, paymentArn: 'of authorized' },
        { status: 'failed', occurredAtMs: 5, paymentArn: 'of failed' },
      ],
      arn: 'of authorized',
    },
    {
      rule: 'time within a rank',
      notices: [
        { status: 'succeeded', occurredAtMs: 2, paymentArn: 'newer' },
        { status: 'succeeded', occurredAtMs: 1, paymentArn: 'older' },
      ],
      arn: 'newer',
    },
    {
      rule: 'no time is the oldest time',
      notices: [
        { status: 'succeeded', paymentArn: 'timeless' },
        { status: 'succeeded', occurredAtMs: 1, paymentArn: 'timed' },
      ],
      arn: 'timed',
    },
    {
      rule: 'the key at the same time',
      notices: [
        { status: 'succeeded', occurredAtMs: 1, paymentArn: 'of a', deliveryKey: 'a' },
        { status: 'succeeded', occurredAtMs: 1, paymentArn: 'of b', deliveryKey: 'b' },
      ],
      arn: 'of b',
    },
  ];
  for (const { rule, notices, arn } of cases) {
    assert.equal(foldOf(...notices).paymentArn, arn, rule);
    assert.equal(foldOf(...notices.toReversed()).paymentArn, arn, `${rule}, the other way round`);
  }
});

test('a failure is shown only while the payment is failed', () => {
  const failed: NoticeFields = { status: 'failed', failure: declined };
  assert.deepEqual(foldOf({ status: 'pending' }, failed).failure, declined);
  assert.equal(foldOf(failed, { status: 'authorized' }).failure, null);
  assert.equal(foldOf(failed, { status: 'succeeded' }).failure, null);
});

test('a payment starts at its earliest start time and finishes when its status was first reported', () => {
  const payment = foldOf(
    { status: 'failed', startedAtMs: 3, statusSinceMs: 4 },
    { status: 'succeeded', startedAtMs: 2, statusSinceMs: 9 },
    { status: 'succeeded', startedAtMs: 5, statusSinceMs: 7 },
    { status: 'succeeded' },
  );
  assert.equal(payment.startedAtMs, 2);
  assert.equal(payment.finishedAtMs, 7);
});

test('only failed, succeeded and reversed are final and have a finish time', () => {
  for (const status of paymentStatuses) {
    const isEnd = ['failed', 'succeeded', 'reversed'].includes(status);
    assert.equal(isFinal(status), isEnd, status);
    assert.equal(foldOf({ status, statusSinceMs: 5 }).finishedAtMs, isEnd ? 5 : null, status);
  }
});

test('a wrong amount or currency is flagged once money is captured or authorised', () => {
  const cases: ReadonlyArray<{ given: NoticeFields; flags: ReviewFlag[] }> = [
    { given: { status: 'succeeded', amount: 11_800, currency: 'INR' }, flags: [] },
    { given: { status: 'succeeded', amount: 1, currency: 'INR' }, flags: ['amount_mismatch'] },
    { given: { status: 'authorized', amount: 1, currency: 'INR' }, flags: ['amount_mismatch'] },
    {
      given: { status: 'succeeded', amount: 11_800, currency: 'USD' },
      flags: ['currency_mismatch'],
    },
    { given: { status: 'succeeded', currency: 'INR' }, flags: ['amount_mismatch'] },
    { given: { status: 'failed', amount: 1, currency: 'USD' }, flags: [] },
    { given: { status: 'pending', amount: 1, currency: 'USD' }, flags: [] },
    { given: { status: 'reversed', amount: 1, currency: 'USD' }, flags: ['payment_reversed'] },
    {
      given: { status: 'reversing', amount: 11_800, currency: 'INR' },
      flags: ['payment_reversed'],
    },
  ];
  for (const { given, flags } of cases) {
    assert.deepEqual(foldOf(given).flags, flags, JSON.stringify(given));
  }
});

test("the amount may exceed the expected one by the consumer's fee", () => {
  const paid = (amount: number, customerFee?: number) =>
    matchesExpected(
      foldOf({
        status: 'succeeded',
        currency: 'INR',
        amount,
        ...(customerFee !== undefined && { customerFee }),
      }),
      expected,
    );
  assert.equal(paid(11_800), true);
  assert.equal(paid(12_036, 236), true);
  assert.equal(paid(12_036, 235), false);
  assert.equal(paid(12_036), false);
  assert.equal(paid(11_800, 236), true);
});

test('flags are a sorted set', () => {
  assert.deepEqual(withFlags(['over_refunded'], ['chargeback', 'over_refunded']), [
    'chargeback',
    'over_refunded',
  ]);
});

test('the flags of every notice stay, even of lower ones', () => {
  const flags = foldOf(
    { status: 'pending', flags: ['merchant_mismatch'] },
    { status: 'succeeded', amount: 1, currency: 'INR' },
  ).flags;
  assert.deepEqual(flags, ['amount_mismatch', 'merchant_mismatch']);
});

test('notices fold to the same payment in any order', () => {
  const notices = fc.array(
    fc.record(
      {
        status: fc.constantFrom(...paymentStatuses),
        occurredAtMs: fc.nat({ max: 3 }),
        statusSinceMs: fc.nat({ max: 3 }),
        startedAtMs: fc.nat({ max: 3 }),
        amount: fc.constantFrom(5_000, 11_800),
        currency: fc.constantFrom('INR', 'USD'),
        message: fc.constantFrom('one', 'two'),
        isCapture: fc.constant(true as const),
        failure: fc.constant(declined),
      },
      { requiredKeys: ['status'] },
    ),
    { maxLength: 8 },
  );
  const shuffles = notices.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
  );
  fc.assert(
    fc.property(shuffles, ([given, shuffled]) => {
      const keyOf = (notice: NoticeFields) =>
        String(given.indexOf(notice as (typeof given)[number]));
      const fold = (entries: readonly NoticeFields[]) => {
        const { notices: _folded, ...payment } = foldOf(
          ...entries.map((notice) => ({ ...notice, deliveryKey: keyOf(notice) })),
        );
        return payment;
      };
      assert.deepEqual(fold(shuffled), fold(given));
    }),
    { numRuns: 500 },
  );
});

test('a transaction id is the order id and the UTC second, or the next free second', () => {
  const time = new Date('2026-12-31T23:59:58.999Z');
  const taken = new Set<string>();
  const next = () => {
    const id = newTransactionId('o_1', taken, time);
    taken.add(id);
    return id;
  };
  assert.deepEqual(
    [next(), next(), next()],
    ['o_1-261231235958', 'o_1-261231235959', 'o_1-270101000000'],
  );
});

type NoticeFields = Omit<PaymentNotice, 'pspTransactionId'> & { readonly deliveryKey?: string };

function foldOf(...given: readonly NoticeFields[]): Payment {
  const notices: Stored<PaymentNotice>[] = given.map((notice, index) => ({
    pspTransactionId: 'pay_1',
    deliveryKey: `key${index}`,
    ...notice,
  }));
  return foldPayment(
    { transactionId: 'o_1-261114100000', provider: 'partner', start: null, notices },
    expected,
  );
}

function foldRefundOf(...statuses: readonly RefundStatus[]) {
  const notices: Stored<RefundNotice>[] = statuses.map((status, index) => ({
    pspTransactionId: 'rfnd_1',
    refundRequestId: 'RR-1',
    deliveryKey: `key${index}`,
    status,
  }));
  return foldRefund({
    transactionId: 'o_1-261114100001',
    provider: 'partner',
    start: null,
    notices,
  });
}
