import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../../src/domain/errors.ts';
import { applyStart, type OrderState } from '../../../src/domain/order-state/order-state.ts';
import { refundBalance } from '../../../src/domain/order-state/refund-links.ts';
import {
  decideRefund,
  type RequestedRefund,
} from '../../../src/domain/order-state/refund-request.ts';
import type { PaymentStatus, RefundStatus } from '../../../src/domain/payments/notice.ts';
import type { Start } from '../../../src/domain/payments/start.ts';
import type { Payment, Refund, Transaction } from '../../../src/domain/payments/transaction.ts';
import type { ReviewFlag } from '../../../src/domain/review-flag.ts';
import { foldPayment, foldRefund } from '../../support/folded.ts';
import { refundSums } from '../../support/refund-sums.ts';

const orderId = 'o_0123456789abcdef';
const total = 11_800;

describe('a refund without an amount', () => {
  test('refunds the whole payment if nothing was refunded before', () => {
    assert.deepEqual(decided([paid('pay_1')]), { of: 'pay_1', amount: total });
  });

  test('refunds what successful and pending refunds have left', () => {
    const before = [
      refund('r1', { amount: 1_000, status: 'succeeded' }),
      refund('r2', { amount: 2_000, status: 'pending' }),
      refund('r3', { amount: 4_000, status: 'failed' }),
    ];
    assert.deepEqual(decided([paid('pay_1'), ...before]), { of: 'pay_1', amount: 8_800 });
  });

  test('counts earlier refunds of a capture of the payment', () => {
    const captured = {
      ...paid('pay_1'),
      captures: [{ pspId: 'capture_1', amount: 11_800, status: 'captured', atMs: 1 } as const],
    };
    const given = refund('r1', { amount: 1_000, of: 'capture_1' });
    assert.deepEqual(decided([captured, given]), { of: 'pay_1', amount: 10_800 });
  });

  test('is refused when nothing is left', () => {
    const all = refund('r1', { amount: total, status: 'pending' });
    refuses([paid('pay_1'), all], {}, 'INVALID_REFUND_AMOUNT', /at most 0\.00 INR/);
  });
});

describe('the amount of a refund', () => {
  const cases = [
    { sent: '118.00', is: 11_800 },
    { sent: 118, is: 11_800 },
    { sent: '0.01', is: 1 },
    { sent: 50.5, is: 5_050 },
    { sent: 0.1 + 0.2, is: 30 },
    { sent: { numberText: '0.10000000000000001' }, is: 10 },
  ];
  for (const { sent, is } of cases) {
    test(`${JSON.stringify(sent)} is ${is} minor units`, () => {
      assert.deepEqual(decided([paid('pay_1')], { amount: sent }), { of: 'pay_1', amount: is });
    });
  }

  const unusable = [
    0,
    '0.00',
    -1,
    '1.001',
    '0.30000000000000004',
    1e-9,
    '',
    'ten',
    '1e2',
    Number.NaN,
    1e300,
  ];
  for (const sent of unusable) {
    test(`${JSON.stringify(sent)} is refused and its field is named`, () => {
      refuses([paid('pay_1')], { amount: sent }, 'INVALID_REQUEST_PARAMETER', /refund_amount/);
    });
  }

  test('is read in the currency of the payment', () => {
    const yen = paid('pay_1', { currency: 'JPY', amount: 500 });
    assert.deepEqual(decided([yen], { amount: '500.00' }), { of: 'pay_1', amount: 500 });
    refuses([yen], { amount: '1.5' }, 'INVALID_REQUEST_PARAMETER', /no|none/);
    const dinars = paid('pay_1', { currency: 'KWD', amount: 1_500 });
    assert.deepEqual(decided([dinars], { amount: '1.5' }), { of: 'pay_1', amount: 1_500 });
  });

  test('of one minor unit too much is refused, and the available amount is named', () => {
    const given = refund('r1', { amount: 1_800, status: 'pending' });
    const transactions = [paid('pay_1'), given];
    assert.deepEqual(decided(transactions, { amount: '100.00' }), { of: 'pay_1', amount: 10_000 });
    refuses(transactions, { amount: '100.01' }, 'INVALID_REFUND_AMOUNT', /at most 100\.00 INR/);
  });
});

describe('the payment that is refunded', () => {
  const statuses: readonly PaymentStatus[] = [
    ...(['new', 'pending', 'failed'] as const),
    ...(['authorized', 'reversing', 'reversed'] as const),
  ];
  for (const status of statuses) {
    test(`cannot be one that is ${status}, by its id or by its order`, () => {
      const entry = paid('pay_1', { status });
      refuses([entry], { transactionId: 'pay_1-id' }, 'REFUND_NOT_ALLOWED', new RegExp(status));
      refuses([entry], {}, 'REFUND_NOT_ALLOWED', /succeeded/);
    });
  }

  test('cannot be an unknown one', () => {
    refuses([paid('pay_1')], { transactionId: 'pay_2-id' }, 'REFUND_NOT_ALLOWED', /not known/);
    refuses([], {}, 'REFUND_NOT_ALLOWED', /No payment/);
  });

  test('cannot be a refund', () => {
    const given = refund('r1', { amount: 1 });
    refuses([paid('pay_1'), given], { transactionId: 'r1-id' }, 'REFUND_NOT_ALLOWED', /refund/);
  });

  test('is the requested one, even if another one paid for the order', () => {
    const twice = [paid('pay_1'), paid('pay_2', { flags: ['duplicate_capture'] })];
    assert.deepEqual(decided(twice, { transactionId: 'pay_2-id' }), { of: 'pay_2', amount: total });
  });

  test('by order is the one that paid and not the duplicate, in any order of the list', () => {
    const twice = [paid('pay_2', { flags: ['duplicate_capture'] }), paid('pay_1')];
    assert.deepEqual(decided(twice), { of: 'pay_1', amount: total });
    assert.deepEqual(decided(twice.toReversed()), { of: 'pay_1', amount: total });
  });

  test('by order is the duplicate once the one that paid is refunded', () => {
    const transactions = [
      paid('pay_1'),
      paid('pay_2', { flags: ['duplicate_capture'] }),
      refund('r1', { amount: total, of: 'pay_1' }),
    ];
    assert.deepEqual(decided(transactions), { of: 'pay_2', amount: total });
  });

  test('in another currency has its whole amount available, whatever the order has left', () => {
    const dollars = paid('pay_1', { currency: 'USD', amount: 5_000 });
    const given = refund('r1', { amount: 2_000, currency: 'USD' });
    assert.deepEqual(decided([dollars, given]), { of: 'pay_1', amount: 3_000 });
  });

  test('has no more available than its order, if the payment of a refund is not known', () => {
    const stray = refund('r1', { amount: 10_000, of: 'pay_unknown' });
    assert.deepEqual(decided([paid('pay_1'), stray]), { of: 'pay_1', amount: 1_800 });
  });
});

describe('a request id', () => {
  for (const status of ['pending', 'succeeded'] as const) {
    test(`of a refund that is ${status} with the same content is a repeat, whatever is available`, () => {
      const given = refund('r1', { amount: total, status, requestId: 'REQ-1' });
      for (const transactionId of [undefined, 'pay_1-id']) {
        for (const amount of [118, '118.00']) {
          const requested = { refundRequestId: 'REQ-1', amount, transactionId };
          assert.equal(repeated([paid('pay_1'), given], requested), 'r1-id');
        }
      }
    });

    test(`of a refund that is ${status} with other content is refused before any other check`, () => {
      const given = refund('r1', { amount: 100, status, requestId: 'REQ-1' });
      const others: Partial<RequestedRefund>[] = [
        { amount: '1.01' },
        { amount: undefined },
        { amount: 'no amount' },
        { amount: 1, transactionId: 'nobody' },
        { amount: 1, transactionId: 'pay_2-id' },
        { amount: 1, transactionId: 'r1-id' },
      ];
      for (const other of others) {
        const requested = { refundRequestId: 'REQ-1', ...other };
        const transactions = [paid('pay_1'), paid('pay_2'), given];
        refuses(transactions, requested, 'DUPLICATE_REFUND_REQUEST', /other content/);
      }
    });
  }

  test('of a refund without an amount can be repeated without one, or with the refunded amount', () => {
    const start: Start = {
      atMs: 0,
      amount: 8_800,
      currency: 'INR',
      call: 'open',
      refund: { requestId: 'REQ-1', paymentPspId: 'pay_1', isAll: true },
    };
    const started = { type: 'refund', transactionId: 'r1-id', provider: 'partner', start } as const;
    const { transactions } = applyStart(orderStateOf([paid('pay_1')]), started);
    for (const amount of [undefined, 88]) {
      assert.equal(repeated(transactions, { refundRequestId: 'REQ-1', amount }), 'r1-id');
    }
    const requested = { refundRequestId: 'REQ-1', amount: 118 };
    refuses(transactions, requested, 'DUPLICATE_REFUND_REQUEST', /other content/);
  });

  test('of a refund whose payment is not known is refused', () => {
    const stray = refund('r1', { amount: 100, requestId: 'REQ-1', of: 'pay_unknown' });
    const requested = { refundRequestId: 'REQ-1', amount: 1 };
    refuses([paid('pay_1'), stray], requested, 'DUPLICATE_REFUND_REQUEST', /other content/);
  });

  test('refers to the refund that did not fail, if there are two', () => {
    const failed = refund('r1', { amount: 100, status: 'failed', requestId: 'REQ-1' });
    const given = refund('r2', { amount: 100, requestId: 'REQ-1' });
    const requested = { refundRequestId: 'REQ-1', amount: 1 };
    assert.equal(repeated([paid('pay_1'), failed, given], requested), 'r2-id');
  });

  test('of a failed refund may be used again', () => {
    const given = refund('r1', { amount: 1, status: 'failed', requestId: 'REQ-1' });
    const requested = { refundRequestId: 'REQ-1' };
    assert.deepEqual(decided([paid('pay_1'), given], requested), { of: 'pay_1', amount: total });
  });

  test('is optional: a refund without one is never a repeat', () => {
    const given = refund('r1', { amount: 1, requestId: null });
    assert.deepEqual(decided([paid('pay_1'), given]), { of: 'pay_1', amount: total - 1 });
  });
});

describe('any refunds, one after the other', () => {
  const payments = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('pay_1', 'pay_2', 'pay_3'),
      amount: fc.integer({ min: 1, max: 20_000 }),
      currency: fc.constantFrom('INR', 'INR', 'USD'),
      status: fc.constantFrom<PaymentStatus>('succeeded', 'succeeded', 'failed', 'reversed'),
    }),
    { minLength: 1, maxLength: 3, selector: ({ name }) => name },
  );
  const reported = fc.array(
    fc.record({
      of: fc.constantFrom('pay_1', 'pay_2', 'pay_unknown'),
      amount: fc.integer({ min: 1, max: 15_000 }),
      currency: fc.constantFrom('INR', 'INR', 'USD'),
      status: fc.constantFrom<RefundStatus>('pending', 'succeeded', 'failed'),
    }),
    { maxLength: 3 },
  );
  const wishes = fc.array(
    fc.record({
      transactionId: fc.constantFrom(undefined, 'pay_1-id', 'pay_2-id', 'pay_3-id'),
      amount: fc.option(
        fc.integer({ min: 1, max: 20_000 }).map((minor) => (minor / 100).toFixed(2)),
        { nil: undefined },
      ),
      refundRequestId: fc.constantFrom(undefined, 'REQ-1', 'REQ-2'),
    }),
    { minLength: 1, maxLength: 8 },
  );

  test('never refund more than was paid, by payment and by order', () => {
    fc.assert(
      fc.property(payments, wishes, (paidFor, all) => {
        const start = orderStateOf(paidFor.map((entry) => paid(entry.name, entry)));
        const orderState = all.reduce(refundIfAllowed, start);
        for (const payment of paymentsIn(orderState)) {
          const given = sumOf(refundsIn(orderState).filter((entry) => isOf(entry, payment)));
          assert.ok(given <= (payment.status === 'succeeded' ? (payment.amount ?? 0) : 0));
        }
        const { paid: taken, refunded, pending } = refundSums(orderState.transactions, 'INR');
        assert.ok(refunded + pending <= taken);
      }),
    );
  });

  test('never add to a payment that is over-refunded, and always refund more than 0', () => {
    fc.assert(
      fc.property(payments, reported, wishes, (paidFor, given, all) => {
        const start = orderStateOf([
          ...paidFor.map((entry) => paid(entry.name, entry)),
          ...given.map((entry, index) => refund(`r${index}`, entry)),
        ]);
        for (const requested of all) {
          const decision = decideOrNothing(start, requested);
          if (decision?.kind !== 'new') continue;
          const { payment, amount } = decision;
          assert.ok(
            amount > 0 && amount <= refundBalance(start.transactions, 'INR').availableOf(payment),
          );
          const left =
            payment.amount - sumOf(refundsIn(start).filter((entry) => isOf(entry, payment)));
          assert.ok(amount <= left);
          if (payment.currency === 'INR') assert.ok(amount <= leftInOrder(start));
          if (requested.transactionId) assert.equal(payment.transactionId, requested.transactionId);
        }
      }),
    );
  });

  test('use a request id only once', () => {
    fc.assert(
      fc.property(payments, wishes, (paidFor, all) => {
        const start = orderStateOf(paidFor.map((entry) => paid(entry.name, entry)));
        const ids = refundsIn(all.reduce(refundIfAllowed, start)).map(
          ({ refundRequestId }) => refundRequestId,
        );
        assert.equal(new Set(ids).size, ids.length);
      }),
    );
  });
});

/** What each payment has left, less the refunds of no payment. */
function leftInOrder(orderState: OrderState): number {
  const refunds = refundsIn(orderState);
  const payments = paymentsIn(orderState);
  const left = payments
    .filter(({ status, currency }) => status === 'succeeded' && currency === 'INR')
    .map((payment) => {
      const given = sumOf(refunds.filter((entry) => isOf(entry, payment)));
      return Math.max(0, (payment.amount ?? 0) - given);
    });
  const ofNone = refunds.filter(
    (entry) => entry.currency === 'INR' && !payments.some((payment) => isOf(entry, payment)),
  );
  return left.reduce((total, amount) => total + amount, 0) - sumOf(ofNone);
}

function decided(transactions: readonly Transaction[], requested: Partial<RequestedRefund> = {}) {
  const decision = decideRefund(orderStateOf(transactions), request(requested));
  assert.ok(decision.kind === 'new');
  return { of: decision.payment.pspTransactionId, amount: decision.amount };
}

/** The refund that a request repeats. */
function repeated(
  transactions: readonly Transaction[],
  requested: Partial<RequestedRefund>,
): string {
  const decision = decideRefund(orderStateOf(transactions), request(requested));
  assert.ok(decision.kind === 'repeat');
  assert.equal(decision.paymentTransactionId, 'pay_1-id');
  return decision.refund.transactionId;
}

function refuses(
  transactions: readonly Transaction[],
  requested: Partial<RequestedRefund>,
  code: string,
  words: RegExp,
): void {
  assert.throws(
    () => decideRefund(orderStateOf(transactions), request(requested)),
    (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, code);
      assert.match(error.merchantMessage, words);
      return true;
    },
  );
}

function request(requested: Partial<RequestedRefund>): RequestedRefund {
  return { transactionId: undefined, amount: undefined, refundRequestId: undefined, ...requested };
}

/** Like the service: decided, then stored as pending. */
function refundIfAllowed(orderState: OrderState, requested: RequestedRefund): OrderState {
  const decision = decideOrNothing(orderState, requested);
  if (decision?.kind !== 'new') return orderState;
  const { payment, amount } = decision;
  const transactionId = `${orderId}-${orderState.transactions.length}`;
  const requestId = requested.refundRequestId ?? transactionId;
  const { currency, pspTransactionId: paymentPspId } = payment;
  return applyStart(orderState, {
    type: 'refund',
    transactionId,
    provider: 'partner',
    start: { atMs: 0, amount, currency, call: 'open', refund: { requestId, paymentPspId } },
  });
}

function decideOrNothing(orderState: OrderState, requested: RequestedRefund) {
  try {
    return decideRefund(orderState, requested);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function orderStateOf(transactions: readonly Transaction[]): OrderState {
  return {
    order: {
      orderId,
      amounts: { currency: 'INR', beforeTax: 10_000, tax: 1_800, total },
      lapsesAt: new Date('2026-11-15T00:00:00Z'),
    },
    transactions,
    held: [],
  };
}

type PaidFields = {
  readonly status?: PaymentStatus;
  readonly amount?: number;
  readonly currency?: string;
  readonly flags?: readonly ReviewFlag[];
};

function paid(pspTransactionId: string, fields: PaidFields = {}): Payment {
  const { status = 'succeeded', amount = total, currency = 'INR', flags = [] } = fields;
  const notice = { pspTransactionId, status, amount, currency, deliveryKey: pspTransactionId };
  const folded = foldPayment(
    {
      transactionId: `${pspTransactionId}-id`,
      provider: 'partner',
      start: null,
      notices: [notice],
    },
    { total, currency: 'INR' },
  );
  return { ...folded, flags };
}

type RefundFields = {
  readonly amount: number;
  readonly currency?: string;
  readonly status?: RefundStatus;
  readonly of?: string;
  readonly requestId?: string | null;
};

function refund(pspTransactionId: string, fields: RefundFields): Refund {
  const { amount, currency = 'INR', status = 'succeeded', of = 'pay_1' } = fields;
  const { requestId = pspTransactionId } = fields;
  const folded = foldRefund({
    transactionId: `${pspTransactionId}-id`,
    provider: 'partner',
    start: null,
    notices: [
      {
        pspTransactionId,
        status,
        amount,
        currency,
        refundRequestId: requestId ?? '',
        paymentPspId: of,
        deliveryKey: pspTransactionId,
      },
    ],
  });
  return { ...folded, refundRequestId: requestId };
}

function paymentsIn({ transactions }: OrderState): Payment[] {
  return transactions.filter((entry) => entry.type === 'payment');
}

function refundsIn({ transactions }: OrderState): Refund[] {
  return transactions.filter(
    (entry) => entry.type === 'refund' && entry.status !== 'failed',
  ) as Refund[];
}

function isOf(entry: Refund, payment: Payment): boolean {
  return entry.paymentPspId === payment.pspTransactionId;
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
}
