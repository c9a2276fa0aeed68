import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { failureReason } from '../../../src/domain/payments/failure.ts';
import type { PaymentNotice, RefundNotice } from '../../../src/domain/payments/notice.ts';
import { addCallResult, type CallResult, type Start } from '../../../src/domain/payments/start.ts';
import type { Stored } from '../../../src/domain/payments/transaction.ts';
import { foldPayment, foldRefund } from '../../support/folded.ts';

const expected = { total: 11_800, currency: 'INR' };
const atMs = Date.parse('2026-11-14T10:00:00Z');
const refusedAtMs = atMs + 2_000;
const failure = failureReason('PROVIDER_TECHNICAL_ERROR', 'HTTP status 400');

const newStart: Start = {
  atMs,
  amount: 11_800,
  currency: 'INR',
  call: 'open',
  modeCode: 'net_banking',
  subPaymentMode: { bank_name: 'HDFC' },
};
const newRefundStart: Start = {
  atMs,
  amount: 5_000,
  currency: 'INR',
  call: 'open',
  refund: { requestId: 'REQ-1', paymentPspId: 'pay_1' },
};

const taken: CallResult = { call: 'taken', providerOrderId: 'order_1' };
const redirectUrl = 'https://provider.example/pay/1';
const intentUrl = 'upi://pay?pa=tea@okbank';
const unknown: CallResult = { call: 'unknown' };
const refused: CallResult = { call: 'refused', failure, atMs: refusedAtMs };
const over: CallResult = { ...refused, isOver: true };

describe('the result of our call', () => {
  const cases: readonly { title: string; results: readonly CallResult[]; is: Start }[] = [
    { title: 'is open without a result', results: [], is: newStart },
    {
      title: 'that is taken adds the provider order id',
      results: [taken],
      is: { ...newStart, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      title: 'that is taken without a provider order id keeps the known one',
      results: [taken, { call: 'taken' }],
      is: { ...newStart, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      title: 'that is taken adds where the consumer pays, which a later poll does not remove',
      results: [{ ...taken, redirectUrl, intentUrl }, unknown, taken],
      is: { ...newStart, call: 'taken', providerOrderId: 'order_1', redirectUrl, intentUrl },
    },
    {
      title: 'that is unknown replaces open',
      results: [unknown],
      is: { ...newStart, call: 'unknown' },
    },
    {
      title: 'that is unknown does not replace taken',
      results: [taken, unknown],
      is: { ...newStart, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      title: 'that is unknown does not replace refused',
      results: [refused, unknown],
      is: { ...newStart, call: 'refused', failure, refusedAtMs },
    },
    {
      title: 'that is refused adds the reason and the time',
      results: [unknown, refused],
      is: { ...newStart, call: 'refused', failure, refusedAtMs },
    },
    {
      title: 'that is taken replaces a refusal and its reason',
      results: [refused, taken],
      is: { ...newStart, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      title: 'that is refused does not replace taken',
      results: [taken, refused],
      is: { ...newStart, call: 'taken', providerOrderId: 'order_1' },
    },
    {
      title: 'that is refused because the payment is over replaces taken',
      results: [taken, over],
      is: {
        ...newStart,
        call: 'refused',
        failure,
        refusedAtMs,
        providerOrderId: 'order_1',
        isOver: true,
      },
    },
  ];
  for (const { title, results, is } of cases) {
    test(title, () => assert.deepEqual(results.reduce(addCallResult, newStart), is));
  }

  test('is the same in any order and with any repetition', () => {
    const all = [taken, unknown, refused];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all)), (results) => {
        const each = all.filter((result) => results.includes(result));
        assert.deepEqual(
          results.reduce(addCallResult, newStart),
          each.reduce(addCallResult, newStart),
        );
      }),
    );
  });

  test('changes nothing of the request', () => {
    const results = fc.array(fc.constantFrom(taken, unknown, refused, over));
    fc.assert(
      fc.property(results, (all) => {
        const { atMs, amount, currency, modeCode, subPaymentMode } = all.reduce(
          addCallResult,
          newStart,
        );
        assert.deepEqual(
          { atMs, amount, currency, call: 'open', modeCode, subPaymentMode },
          newStart,
        );
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
    test(`is ${status} when our call is ${call.map((result) => result.call).join(', then ') || 'open'}`, () => {
      assert.equal(paymentOf([...call]).status, status);
    });
  }

  test('shows the request until the provider reports it', () => {
    assert.deepEqual(paymentOf([taken]), {
      type: 'payment',
      transactionId: 'T',
      provider: 'partner',
      start: { ...newStart, call: 'taken', providerOrderId: 'order_1' },
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
      capturedLimit: null,
      unknownRefunds: null,
      disputes: null,
      hold: null,
      operations: null,
      partialCapture: null,
      authorizedAtMs: null,
    });
  });

  test('shows a refusal with its reason, message and time', () => {
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

  test("shows the provider's value when both have the same rank", () => {
    const reported = notice({ status: 'pending', amount: 11_700, paymentMode: 'UPI' });
    const { amount, paymentMode, startedAtMs } = paymentOf([taken], reported);
    assert.deepEqual([amount, paymentMode], [11_700, 'UPI']);
    assert.equal(startedAtMs, atMs, 'it began with our call');
  });

  test('has the status of a late webhook, although our call seemed refused', () => {
    const payment = paymentOf([refused], notice({ status: 'succeeded', amount: 11_800 }));
    assert.equal(payment.status, 'succeeded');
    assert.equal(payment.failure, null);
    assert.deepEqual(payment.flags, []);
  });

  test('does not fail by an authentication, and gets no provider id from it', () => {
    const authentication = notice({ status: 'pending', record: 'authentication' });
    assert.equal(paymentOf([], authentication).status, 'pending');
    assert.equal(paymentOf([], authentication).pspTransactionId, null);
  });
});

describe('a refund that was started here', () => {
  const statuses = [
    { call: [], status: 'pending' },
    { call: [{ call: 'taken' }], status: 'pending' },
    { call: [unknown], status: 'pending' },
    { call: [refused], status: 'failed' },
  ] as const;
  for (const { call, status } of statuses) {
    test(`is ${status} when our call is ${call.map((result) => result.call).join() || 'open'}`, () => {
      assert.equal(refundOf([...call]).status, status);
    });
  }

  test('shows the request, and no provider id before the provider reports it', () => {
    const refund = refundOf([]);
    assert.equal(refund.pspTransactionId, null);
    assert.equal(refund.refundRequestId, 'REQ-1');
    assert.equal(refund.paymentPspId, 'pay_1');
    assert.equal(refund.amount, 5_000);
    assert.equal(refund.startedAtMs, atMs);
  });

  test('has the id that we choose before the provider reports it', () => {
    const refund = { requestId: 'REQ-1', paymentPspId: 'T|1', pspTransactionId: 'T|R' };
    assert.equal(foldRefund(refundBase({ ...newRefundStart, refund }, [])).pspTransactionId, 'T|R');
  });

  test('keeps our request id when the provider has truncated it', () => {
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

function paymentOf(results: readonly CallResult[], ...notices: Stored<PaymentNotice>[]) {
  const start = results.reduce(addCallResult, newStart);
  return foldPayment({ transactionId: 'T', provider: 'partner', start, notices }, expected);
}

function refundOf(results: readonly CallResult[], ...notices: Stored<RefundNotice>[]) {
  return foldRefund(refundBase(results.reduce(addCallResult, newRefundStart), notices));
}

function refundBase(start: Start, notices: readonly Stored<RefundNotice>[]) {
  return { transactionId: 'R', provider: 'partner', start, notices };
}

function notice(
  fields: Partial<PaymentNotice> & Pick<PaymentNotice, 'status'>,
): Stored<PaymentNotice> {
  return {
    pspTransactionId: 'pay_1',
    currency: 'INR',
    startedAtMs: atMs + 500,
    deliveryKey: 'event-1',
    ...fields,
  };
}

function refundNotice(fields: Partial<RefundNotice>): Stored<RefundNotice> {
  return {
    pspTransactionId: 'rfnd_1',
    status: 'pending',
    refundRequestId: 'REQ-1',
    deliveryKey: 'event-1',
    ...fields,
  };
}
