import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideReturn } from '../../../src/domain/order-state/payment-return.ts';
import type { OrderStatus } from '../../../src/domain/orders/order.ts';
import type { Payment } from '../../../src/domain/payments/transaction.ts';

const statuses: [Payment['status'], OrderStatus, status: string, isKnown: boolean][] = [
  ['new', 'pending', 'pending', false],
  ['pending', 'pending', 'pending', false],
  ['pending', 'lapsed', 'pending', false],
  ['authorized', 'pending', 'pending', false],
  ['reversing', 'pending', 'pending', false],
  ['failed', 'pending', 'failed', true],
  ['failed', 'lapsed', 'failed', true],
  ['reversed', 'pending', 'failed', true],
  ['succeeded', 'completed', 'success', true],
  // The amount is not the order's.
  ['succeeded', 'pending', 'pending', true],
];
for (const [paymentStatus, orderStatus, status, isKnown] of statuses) {
  test(`a payment that is ${paymentStatus}, of an order that is ${orderStatus}: ${status}`, () => {
    const payment = paymentThat({ status: paymentStatus });
    assert.deepEqual(decideReturn(payment, [payment], orderStatus, false), {
      status,
      payment,
      isKnown,
    });
  });
}

test('a payment that is only reserved is a success for the consumer', () => {
  const hold = { amount: 100, atMs: 0, expiresAtMs: 1_000 };
  const payment = { ...paymentThat({ status: 'authorized' }), hold };
  const expected = { status: 'success', payment, isKnown: true };
  assert.deepEqual(decideReturn(payment, [payment], 'pending', false), expected);
});

test('for every payment of a completed order, the one that completed it is returned', () => {
  const twice = paymentThat({ status: 'succeeded', flags: ['duplicate_capture'] });
  const paid = paymentThat({ status: 'succeeded', transactionId: 'paid' });
  for (const status of ['pending', 'failed', 'reversed'] as const) {
    const payment = paymentThat({ status });
    assert.deepEqual(decideReturn(payment, [payment, twice, paid], 'completed', false), {
      status: 'success',
      payment: paid,
      isKnown: true,
    });
  }
  assert.equal(decideReturn(twice, [twice, paid], 'completed', false).payment, twice);
});

test('a failure is not final while the browser claims success and the consumer may retry', () => {
  const open = paymentThat({ status: 'failed' });
  assert.deepEqual(decideReturn(open, [open], 'pending', true), {
    status: 'pending',
    payment: open,
    isKnown: false,
  });
  const refused = paymentThat({ status: 'failed', call: 'refused' });
  assert.equal(decideReturn(refused, [refused], 'pending', true).isKnown, true);
});

function paymentThat(fields: {
  readonly status: Payment['status'];
  readonly transactionId?: string;
  readonly flags?: Payment['flags'];
  readonly call?: 'taken' | 'refused';
}): Payment {
  const { status, transactionId = 'own', flags = [], call = 'taken' } = fields;
  const start = { atMs: 0, amount: 100, currency: 'INR', call };
  const none = { pspTransactionId: null, partialCapture: null, hold: null, operations: null };
  return { type: 'payment', status, transactionId, flags, start, ...none } as never;
}
