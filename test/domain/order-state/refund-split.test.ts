import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { splitRefund } from '../../../src/domain/order-state/refund-links.ts';
import { refundAmount } from '../../../src/domain/order-state/tally.ts';
import { failureReason } from '../../../src/domain/payments/failure.ts';
import { addPartResult, type Start } from '../../../src/domain/payments/start.ts';
import type { Payment, Refund } from '../../../src/domain/payments/transaction.ts';
import { foldPayment, foldRefund } from '../../support/folded.ts';

const expected = { total: 10_000, currency: 'INR' };

describe('a refund of several captures', () => {
  const payment = captured(['INV|2', 6_000], ['INV|3', 4_000]);

  test('takes from the oldest capture first', () => {
    assert.deepEqual(splitRefund([payment], payment, 5_000), [share('INV|2', 5_000)]);
    assert.deepEqual(splitRefund([payment], payment, 10_000), [
      share('INV|2', 6_000),
      share('INV|3', 4_000),
    ]);
  });

  test('takes only what earlier refunds have left, with or without a capture id', () => {
    const named = refund('INV|9', 5_000, 'INV|2');
    const unnamed = refund('INV|8', 2_000, null);
    assert.deepEqual(splitRefund([payment, named], payment, 2_000), [
      share('INV|2', 1_000),
      share('INV|3', 1_000),
    ]);
    assert.deepEqual(splitRefund([payment, named, unnamed], payment, 3_000), [
      share('INV|3', 3_000),
    ]);
    const failed = { ...named, status: 'failed' } as const;
    assert.deepEqual(splitRefund([payment, failed], payment, 6_000), [share('INV|2', 6_000)]);
  });

  test('is one refund of the payment if it has no captures', () => {
    const plain = captured();
    assert.deepEqual(splitRefund([plain], plain, 7_000), [share('INV|1', 7_000)]);
  });

  test('adds up to its amount, and takes no more from a capture than it has left', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(amounts, fc.double({ min: 0, max: 1, noNaN: true }), (parts, portion) => {
        const all = parts.map((amount, index) => [`INV|${index + 2}`, amount] as const);
        const whole = parts.reduce((sum, amount) => sum + amount, 0);
        const requested = Math.max(1, Math.floor(whole * portion));
        const paid = captured(...all);
        const shares = splitRefund([paid], paid, requested);
        assert.equal(
          shares.reduce((sum, { amount }) => sum + amount, 0),
          requested,
        );
        for (const { paymentPspId, amount } of shares) {
          assert.ok(amount <= (all.find(([id]) => id === paymentPspId)?.[1] ?? 0));
        }
      }),
    );
  });
});

describe('a split refund', () => {
  const start: Start = {
    atMs: 0,
    amount: 10_000,
    currency: 'INR',
    call: 'open',
    refund: {
      requestId: 'REQ',
      paymentPspId: 'INV|2',
      pspTransactionId: 'INV|R',
      parts: [
        { pspTransactionId: 'INV|R', capturePspId: 'INV|2', amount: 6_000, call: 'open' },
        { pspTransactionId: 'INV|R-2', capturePspId: 'INV|3', amount: 4_000, call: 'open' },
      ],
    },
  };
  const failure = failureReason('REFUND_FAILED', 'no');
  const reported = (pspTransactionId: string, status: 'pending' | 'succeeded' | 'failed') => ({
    pspTransactionId,
    status,
    amount: pspTransactionId === 'INV|R' ? 6_000 : 4_000,
    currency: 'INR',
    refundRequestId: 'REQ',
    deliveryKey: `${pspTransactionId} ${status}`,
  });
  const foldOf = (...notices: ReturnType<typeof reported>[]) =>
    foldRefund({ transactionId: 'R', provider: 'bank-gateway', start, notices });

  for (const [first, second, is, amount] of [
    ['succeeded', 'succeeded', 'succeeded', 10_000],
    ['succeeded', 'pending', 'pending', 10_000],
    ['succeeded', 'failed', 'succeeded', 6_000],
    ['failed', 'succeeded', 'succeeded', 4_000],
    ['failed', 'pending', 'pending', 10_000],
    ['failed', 'failed', 'failed', 10_000],
  ] as const) {
    test(`is ${is} when its parts are ${first} and ${second}`, () => {
      const folded = foldOf(reported('INV|R', first), reported('INV|R-2', second));
      assert.equal(folded.status, is);
      assert.equal(folded.amount, amount);
      assert.equal(folded.pspTransactionId, 'INV|R');
    });
  }

  test('that failed in part counts its successful part, and is flagged', () => {
    const folded = foldOf(reported('INV|R', 'succeeded'), reported('INV|R-2', 'failed'));
    assert.equal(refundAmount(folded, 'succeeded'), 6_000);
    assert.equal(refundAmount(folded, 'pending'), 0);
    assert.deepEqual(folded.flags, ['partially_refunded']);
  });

  test('has the call state of its slowest part', () => {
    const result = { call: 'refused', failure, atMs: 1 } as const;
    const first = addPartResult(start, ['INV|R'], { call: 'taken' });
    assert.equal(first.call, 'open');
    const both = addPartResult(first, ['INV|R-2'], result);
    assert.equal(both.call, 'taken');
    const folded = foldRefund({
      transactionId: 'R',
      provider: 'bank-gateway',
      start: both,
      notices: [],
    });
    assert.deepEqual(
      folded.parts?.map(({ status }) => status),
      ['pending', 'failed'],
    );
    assert.equal(addPartResult(start, ['INV|R', 'INV|R-2'], result).call, 'refused');
  });

  test('keeps a refused part refused when the provider knows the other', () => {
    const refusal = { call: 'refused', failure, atMs: 1 } as const;
    const refused = addPartResult(start, ['INV|R-2'], refusal);
    const calls = addPartResult(refused, ['INV|R'], { call: 'taken' }).refund?.parts;
    assert.deepEqual(
      calls?.map(({ call }) => call),
      ['taken', 'refused'],
    );
  });
});

function share(paymentPspId: string, amount: number) {
  return { paymentPspId, amount };
}

function captured(...captures: ReadonlyArray<readonly [pspId: string, amount: number]>) {
  const amount = captures.reduce((sum, [, own]) => sum + own, 0) || 10_000;
  const folded = foldPayment(
    {
      transactionId: 'P',
      provider: 'bank-gateway',
      start: null,
      captures:
        captures.length === 0
          ? null
          : captures.map(([pspId, own], atMs) => ({
              pspId,
              amount: own,
              status: 'captured',
              atMs,
            })),
      notices: [
        {
          pspTransactionId: 'INV|1',
          status: 'authorized',
          amount,
          currency: 'INR',
          deliveryKey: 'a',
        },
      ],
    },
    { ...expected, total: amount },
  );
  return folded as Payment & { readonly pspTransactionId: string };
}

function refund(pspTransactionId: string, amount: number, of: string | null): Refund {
  return foldRefund({
    transactionId: pspTransactionId,
    provider: 'bank-gateway',
    start: null,
    notices: [
      {
        pspTransactionId,
        status: 'succeeded',
        amount,
        currency: 'INR',
        refundRequestId: pspTransactionId,
        paymentPspOrder: 'INV',
        ...(of !== null && { paymentPspId: of }),
        deliveryKey: pspTransactionId,
      },
    ],
  });
}
