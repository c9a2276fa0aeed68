import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureReason } from '../../src/domain/transactions/failure.ts';
import type { PaymentNotice, RefundNotice } from '../../src/domain/transactions/notice.ts';
import { type CallNews, learn, type Start } from '../../src/domain/transactions/start.ts';
import type { Stored } from '../../src/domain/transactions/transaction.ts';
import { foldPayment, foldRefund } from '../support/folded.ts';

const expected = { total: 11_800, currency: 'INR' };
const atMs = Date.parse('2026-11-14T10:00:00Z');
const refusedAtMs = atMs + 2_000;
const failure = failureReason('PROVIDER_TECHNICAL_ERROR', 'HTTP status 400');

const begun: Start = {
  atMs,
  amount: 11_800,
  currency: 'INR',
  call: 'open',
  modeCode: 'net_banking',
  subPaymentMode: { bank_name: 'HDFC' },
};
const begunRefund: Start = {
  atMs,
  amount: 5_000,
  currency: 'INR',
  call: 'open',
  refund: { requestId: 'REQ-1', paymentPspId: 'pay_1' },
};

const taken: CallNews = { call: 'taken', providerOrderId: 'order_1' };
const unknown: CallNews = { call: 'unknown' };
const refused: CallNews = { call: 'refused', failure, atMs: refusedAtMs };
const over: CallNews = { ...refused, isOver: true };

describe('what is learned of our call', () => {
  const cases: readonly { says: string; news: readonly CallNews[]; is: Start }[] = [
    { says: 'nothing leaves it open', news: [], is: begun },
    {
      says: 'taken brings the name of the order there',
      news: [taken],
      is: { ...begun, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      says: 'taken without a name keeps the one that is known',
      news: [taken, { call: 'taken' }],
      is: { ...begun, call: 'taken', providerOrderId: 'order_1' },
    },
    { says: 'unknown is said of an open one', news: [unknown], is: { ...begun, call: 'unknown' } },
    {
      says: 'unknown never forgets that it was taken',
      news: [taken, unknown],
      is: { ...begun, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      says: 'unknown never forgets that it was refused',
      news: [refused, unknown],
      is: { ...begun, call: 'refused', failure, refusedAtMs },
    },
    {
      says: 'refused says why and when',
      news: [unknown, refused],
      is: { ...begun, call: 'refused', failure, refusedAtMs },
    },
    {
      says: 'taken takes a refusal back, with its reason',
      news: [refused, taken],
      is: { ...begun, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      says: 'refused does not undo what the provider has',
      news: [taken, refused],
      is: { ...begun, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      says: 'what is over is over, even where the provider has it',
      news: [taken, over],
      is: {
        ...begun,
        call: 'refused',
        failure,
        refusedAtMs,
        providerOrderId: 'order_1',
        isOver: true,
      },
    },
  ];
  for (const { says, news, is } of cases) {
    test(says, () => assert.deepEqual(news.reduce(learn, begun), is));
  }

  test('is the same in whichever order and however often it is learned', () => {
    const all = [taken, unknown, refused];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all)), (learned) => {
        const each = all.filter((news) => learned.includes(news));
        assert.deepEqual(learned.reduce(learn, begun), each.reduce(learn, begun));
      }),
    );
  });

  test('changes nothing that we asked for', () => {
    const news = fc.array(fc.constantFrom(taken, unknown, refused, over));
    fc.assert(
      fc.property(news, (all) => {
        const { atMs, amount, currency, modeCode, subPaymentMode } = all.reduce(learn, begun);
        assert.deepEqual({ atMs, amount, currency, call: 'open', modeCode, subPaymentMode }, begun);
      }),
    );
  });
});

describe('a payment that was started here', () => {
  const statuses = [
    { call: [], status: 'new' },
    { call: [taken], status: 'pending' },
    { call: [unknown], status: 'pending' },
    { call: [refused], status: 'failed' },
    { call: [taken, over], status: 'failed' },
  ] as const;
  for (const { call, status } of statuses) {
    test(`is ${status} when our call is ${call.map((news) => news.call).join(', then ') || 'open'}`, () => {
      assert.equal(paymentOf([...call]).status, status);
    });
  }

  test('shows what we asked for until the provider speaks', () => {
    assert.deepEqual(paymentOf([taken]), {
      type: 'payment',
      transactionId: 'T',
      provider: 'partner',
      start: { ...begun, call: 'taken', providerOrderId: 'order_1' },
      notices: [],
      pspTransactionId: null,
      amount: 11_800,
      currency: 'INR',
      startedAtMs: atMs,
      recordedAtMs: atMs,
      finishedAtMs: null,
      message: null,
      failure: null,
      flags: [],
      status: 'pending',
      paymentMode: 'Netbanking',
      subPaymentMode: { bank_name: 'HDFC' },
      paymentArn: null,
      paymentAcquirer: null,
      customerFee: null,
      offerId: null,
      offerDiscount: null,
      captures: null,
      voided: null,
      partialCapture: null,
      authorizedAtMs: null,
    });
  });

  test('shows a refusal with its reason, its words and its time', () => {
    const { status, failure: shown, message, finishedAtMs } = paymentOf([refused]);
    assert.deepEqual(
      { status, shown, message, finishedAtMs },
      {
        status: 'failed',
        shown: failure,
        message: 'HTTP status 400',
        finishedAtMs: refusedAtMs,
      },
    );
  });

  test('believes the provider where both say something at the same rank', () => {
    const said = notice({ status: 'pending', amount: 11_700, paymentMode: 'UPI' });
    const { amount, paymentMode, startedAtMs } = paymentOf([taken], said);
    assert.deepEqual([amount, paymentMode], [11_700, 'UPI']);
    assert.equal(startedAtMs, atMs, 'it began with our call');
  });

  test('is what a late webhook says, although our call seemed refused', () => {
    const payment = paymentOf([refused], notice({ status: 'succeeded', amount: 11_800 }));
    assert.equal(payment.status, 'succeeded');
    assert.equal(payment.failure, null);
    assert.deepEqual(payment.flags, []);
  });

  test('is not failed by an authentication, and has no id of the provider from it', () => {
    const authentication = notice({ status: 'pending', record: 'authentication' });
    assert.equal(paymentOf([], authentication).status, 'pending');
    assert.equal(paymentOf([], authentication).pspTransactionId, null);
  });
});

describe('a refund that was asked for here', () => {
  const statuses = [
    { call: [], status: 'pending' },
    { call: [{ call: 'taken' }], status: 'pending' },
    { call: [unknown], status: 'pending' },
    { call: [refused], status: 'failed' },
  ] as const;
  for (const { call, status } of statuses) {
    test(`is ${status} when our call is ${call.map((news) => news.call).join() || 'open'}`, () => {
      assert.equal(refundOf([...call]).status, status);
    });
  }

  test('shows what we asked for, and no id of a provider that has not spoken', () => {
    const refund = refundOf([]);
    assert.equal(refund.pspTransactionId, null);
    assert.equal(refund.refundRequestId, 'REQ-1');
    assert.equal(refund.paymentPspId, 'pay_1');
    assert.equal(refund.amount, 5_000);
    assert.equal(refund.startedAtMs, atMs);
  });

  test('has the id that we choose before the provider speaks', () => {
    const refund = { requestId: 'REQ-1', paymentPspId: 'T|1', pspTransactionId: 'T|R' };
    assert.equal(foldRefund(refundBase({ ...begunRefund, refund }, [])).pspTransactionId, 'T|R');
  });

  test('keeps our request id where the provider has cut it short', () => {
    const refund = refundOf([], refundNotice({ refundRequestId: 'REQ' }));
    assert.equal(refund.refundRequestId, 'REQ-1');
    assert.equal(refund.pspTransactionId, 'rfnd_1');
  });

  test('succeeds although our call seemed refused, which is flagged as a conflict', () => {
    const refund = refundOf([refused], refundNotice({ status: 'succeeded' }));
    assert.equal(refund.status, 'succeeded');
    assert.deepEqual(refund.flags, ['refund_conflict']);
  });
});

function paymentOf(news: readonly CallNews[], ...notices: Stored<PaymentNotice>[]) {
  const start = news.reduce(learn, begun);
  return foldPayment({ transactionId: 'T', provider: 'partner', start, notices }, expected);
}

function refundOf(news: readonly CallNews[], ...notices: Stored<RefundNotice>[]) {
  return foldRefund(refundBase(news.reduce(learn, begunRefund), notices));
}

function refundBase(start: Start, notices: readonly Stored<RefundNotice>[]) {
  return { transactionId: 'R', provider: 'partner', start, notices };
}

function notice(
  said: Partial<PaymentNotice> & Pick<PaymentNotice, 'status'>,
): Stored<PaymentNotice> {
  return {
    pspTransactionId: 'pay_1',
    currency: 'INR',
    startedAtMs: atMs + 500,
    deliveryKey: 'event-1',
    ...said,
  };
}

function refundNotice(said: Partial<RefundNotice>): Stored<RefundNotice> {
  return {
    pspTransactionId: 'rfnd_1',
    status: 'pending',
    refundRequestId: 'REQ-1',
    deliveryKey: 'event-1',
    ...said,
  };
}
