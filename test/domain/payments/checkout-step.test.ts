/** What the checkout page offers. Contract 14.3. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type CheckoutStep,
  decideCheckoutStep,
  findOpenPayment,
} from '../../../src/domain/order-state/checkout-step.ts';
import { type OrderStatus, orderStatuses } from '../../../src/domain/orders/order.ts';
import { type FailureCode, failureReason } from '../../../src/domain/payments/failure.ts';
import { paymentStatuses } from '../../../src/domain/payments/notice.ts';
import type { Payment } from '../../../src/domain/payments/transaction.ts';

test('an order without a payment offers the ways to pay', () => {
  assert.deepEqual(stepOf([], 'new'), { kind: 'choose', failed: undefined });
});

test('an order that has lapsed offers nothing', () => {
  assert.deepEqual(stepOf([], 'lapsed'), { kind: 'expired' });
  const failed = paymentThat({ status: 'failed' });
  assert.deepEqual(stepOf([failed], 'lapsed'), { kind: 'expired' });
});

for (const status of ['new', 'pending', 'authorized', 'reversing'] as const) {
  test(`a payment that is ${status} is waited for, also when the order has lapsed`, () => {
    const payment = paymentThat({ status });
    for (const orderStatus of ['pending', 'lapsed'] as const) {
      assert.deepEqual(stepOf([payment], orderStatus), {
        kind: 'waiting',
        payment,
        isSlow: false,
      });
    }
  });
}

test('a payment that is pending for more than 15 seconds is slow, and no other that is waited for', () => {
  const isSlowAfter = (status: Payment['status'], ms: number) => {
    const step = stepOf([paymentThat({ status, atMs: 1_000 })], 'pending', 1_000 + ms);
    return step.kind === 'waiting' && step.isSlow;
  };
  for (const status of ['new', 'pending'] as const) {
    assert.deepEqual([isSlowAfter(status, 15_000), isSlowAfter(status, 15_001)], [false, true]);
  }
  for (const status of ['authorized', 'reversing'] as const) {
    assert.equal(isSlowAfter(status, 3_600_000), false, status);
  }
});

test('a failed payment is shown with the ways to pay, unless a retry makes no sense', () => {
  const failed = paymentThat({ status: 'failed', code: 'INSUFFICIENT_FUNDS' });
  assert.deepEqual(stepOf([failed], 'pending'), { kind: 'choose', failed });
  const rejected = paymentThat({ status: 'failed', code: 'RISK_REJECTED' });
  assert.deepEqual(stepOf([rejected], 'pending'), {
    kind: 'failed',
    payment: rejected,
  });
});

test('the newest payment decides', () => {
  const rejected = paymentThat({ status: 'failed', code: 'RISK_REJECTED', atMs: 1 });
  const cancelled = paymentThat({ status: 'failed', code: 'PAYMENT_FAILED', atMs: 2 });
  for (const payments of [
    [rejected, cancelled],
    [cancelled, rejected],
  ]) {
    assert.deepEqual(stepOf(payments, 'pending'), {
      kind: 'choose',
      failed: cancelled,
    });
  }
});

test('a payment that was given up is no obstacle, until its provider reports an attempt', () => {
  const givenUp = paymentThat({ status: 'pending', givenUpAtMs: 5 });
  assert.deepEqual(stepOf([givenUp], 'pending'), { kind: 'choose', failed: undefined });
  const tried = paymentThat({ status: 'authorized', givenUpAtMs: 5 });
  assert.deepEqual(stepOf([tried], 'pending'), {
    kind: 'waiting',
    payment: tried,
    isSlow: false,
  });
});

test('money that does not complete the order is for the shop to check', () => {
  const payment = paymentThat({ status: 'succeeded' });
  for (const status of ['pending', 'lapsed'] as const) {
    assert.deepEqual(stepOf([payment], status), { kind: 'checking', payment });
  }
});

test('a late payment that is refunded is shown as such, unless there is other money to check', () => {
  const tooLate = paymentThat({ status: 'succeeded', flags: ['refunded_late_payment'] });
  const other = paymentThat({ status: 'succeeded', flags: ['amount_mismatch'] });
  assert.deepEqual(stepOf([tooLate], 'lapsed'), { kind: 'too-late', payment: tooLate });
  for (const payments of [
    [tooLate, other],
    [other, tooLate],
  ]) {
    assert.deepEqual(stepOf(payments, 'lapsed'), { kind: 'checking', payment: other });
  }
  const open = paymentThat({ status: 'pending' });
  assert.equal(stepOf([tooLate, open], 'lapsed').kind, 'waiting');
});

test('an amount that is reserved is shown as such, and nothing else is offered', () => {
  const hold = { amount: 100, atMs: 0, expiresAtMs: 1_000 };
  const held = paymentThat({ status: 'authorized', hold });
  const open = paymentThat({ status: 'pending' });
  assert.deepEqual(stepOf([held, open], 'pending'), { kind: 'paid', payment: held, isHeld: true });
});

test('a completed order shows the payment that completed it', () => {
  const twice = paymentThat({ status: 'succeeded', flags: ['duplicate_capture'] });
  const paid = paymentThat({ status: 'succeeded' });
  const open = paymentThat({ status: 'pending' });
  assert.deepEqual(stepOf([twice, open, paid], 'completed'), {
    kind: 'paid',
    payment: paid,
    isHeld: false,
  });
});

test('a way to pay is never offered while money may be on its way', () => {
  const anyPayment = fc.record({
    status: fc.constantFrom(...paymentStatuses),
    atMs: fc.nat(5),
    givenUpAtMs: fc.option(fc.nat(9), { nil: undefined }),
  });
  fc.assert(
    fc.property(
      fc.array(anyPayment, { maxLength: 6 }),
      fc.constantFrom(...orderStatuses),
      (fields, orderStatus) => {
        const payments = fields.map(paymentThat);
        const { kind } = stepOf(payments, orderStatus);
        const isPayable = kind === 'choose';
        if (!isPayable) return;
        assert.equal(findOpenPayment(payments), undefined);
        assert.ok(['new', 'pending'].includes(orderStatus));
        assert.ok(payments.every(({ status }) => status !== 'succeeded'));
      },
    ),
    { numRuns: 500 },
  );
});

function stepOf(payments: readonly Payment[], orderStatus: OrderStatus, nowMs = 10): CheckoutStep {
  return decideCheckoutStep(payments, orderStatus, new Date(nowMs));
}

function paymentThat(fields: {
  readonly status: Payment['status'];
  readonly flags?: Payment['flags'];
  readonly code?: FailureCode;
  readonly atMs?: number;
  readonly givenUpAtMs?: number | undefined;
  readonly hold?: Payment['hold'];
}): Payment {
  const { status, hold = null, flags = [], code, atMs = 0, givenUpAtMs } = fields;
  const failure = code === undefined ? null : failureReason(code, 'why');
  const start = {
    atMs,
    amount: 100,
    currency: 'INR',
    call: 'taken',
    ...(givenUpAtMs !== undefined && { givenUpAtMs }),
  };
  return { type: 'payment', status, flags, failure, start, hold } as never;
}
