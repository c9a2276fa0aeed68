import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  findLatestRefundOf,
  linkRefunds,
  refundTypeOf,
} from '../../../src/domain/order-state/refund-links.ts';
import { paymentLimits } from '../../../src/domain/payments/limits.ts';
import type { PaymentStatus } from '../../../src/domain/payments/notice.ts';
import type { Payment, Refund, Transaction } from '../../../src/domain/payments/transaction.ts';
import { foldPayment, foldRefund } from '../../support/folded.ts';

const total = 11_800;

test('a refund with a payment id belongs to that payment only', () => {
  const payments = [payment('pay_1', 1), payment('pay_2', 2)];
  assert.equal(findPaymentOf(refund('rfnd_1', { of: 'pay_2' }), payments), payments[1]);
  assert.equal(findPaymentOf(refund('rfnd_1', { of: 'pay_3' }), payments), undefined);
});

test('a refund with only an order id belongs to its succeeded payment', () => {
  const failed = payment('INV|1', 1, { status: 'failed' });
  const succeeded = payment('INV|2', 2);
  const stranger = payment('INV2|1', 0);
  const ofOrder = refund('INV|3', { ofOrder: 'INV' });
  for (const transactions of [
    [failed, stranger, succeeded],
    [succeeded, stranger, failed],
  ]) {
    assert.equal(findPaymentOf(ofOrder, transactions), succeeded);
  }
  assert.equal(findPaymentOf(ofOrder, [stranger]), undefined);
});

test('of two succeeded payments, the choice for a refund does not depend on our ids', () => {
  // The first was reported by its later capture, so its id is the later of the two.
  const first = { ...payment('INV|1', 1), transactionId: 'o_1-261114100009' };
  const second = { ...payment('INV|2', 2), transactionId: 'o_1-261114100002' };
  const ofOrder = refund('INV|3', { ofOrder: 'INV' });
  assert.equal(findPaymentOf(ofOrder, [second, first]), first);
  assert.equal(findPaymentOf(ofOrder, [first, second]), first);
});

test('a refund with a capture id belongs to the captured payment', () => {
  const captured = {
    ...payment('INV|1', 1),
    captures: [{ pspId: 'INV|2', amount: 11_800, status: 'captured', atMs: 1 } as const],
  };
  const given = refund('INV|3', { of: 'INV|2', ofOrder: 'INV' });
  assert.equal(findPaymentOf(given, [payment('INV|9', 2), captured]), captured);
});

test('a refund never belongs to a payment of another provider', () => {
  const other: Payment = { ...payment('pay_1', 1), provider: 'another' };
  assert.equal(findPaymentOf(refund('rfnd_1', { of: 'pay_1' }), [other]), undefined);
});

test('the latest refund is the one that started last, then the one with the higher id', () => {
  const paid = payment('pay_1', 1);
  const [early, late, twin, foreign] = [
    refund('rfnd_9', { of: 'pay_1', startedAtMs: 1_000 }),
    refund('rfnd_1', { of: 'pay_1', startedAtMs: 2_000 }),
    refund('rfnd_2', { of: 'pay_1', startedAtMs: 2_000 }),
    refund('rfnd_5', { of: 'pay_2', startedAtMs: 9_000 }),
  ] as const;
  assert.equal(findLatestRefundOf(paid, linkRefunds([paid, foreign])), undefined);
  assert.equal(findLatestRefundOf(paid, linkRefunds([late, paid, early, foreign])), late);
  fc.assert(
    fc.property(
      fc.shuffledSubarray([paid, early, late, twin, foreign], { minLength: 5 }),
      (all) => {
        assert.equal(findLatestRefundOf(paid, linkRefunds(all)), twin);
      },
    ),
  );
});

const types = [
  { name: 'of all that was paid is full', amount: 12_036, paid: 12_036, type: 'full_refund' },
  { name: 'of a part is partial', amount: 12_035, paid: 12_036, type: 'partial_refund' },
  {
    name: "of the order's total is partial when more was paid",
    amount: total,
    paid: 12_036,
    type: 'partial_refund',
  },
  {
    name: "of the order's total is full when its payment is not known",
    amount: total,
    paid: null,
    type: 'full_refund',
  },
  {
    name: 'of less than the total is partial when its payment is not known',
    amount: 1,
    paid: null,
    type: 'partial_refund',
  },
] as const;
for (const { name, amount, paid, type } of types) {
  test(`a refund ${name}`, () => {
    const given = refund('rfnd_1', { of: 'pay_1', amount });
    const payments = paid === null ? [] : [payment('pay_1', 1, { amount: paid })];
    assert.equal(refundTypeOf(given, linkRefunds([...payments, given]), total), type);
  });
}

test('the links of an order with as many transactions as it can have take no time', () => {
  const count = paymentLimits.transactionsMax / 2;
  const payments = Array.from({ length: count }, (_entry, index) => payment(`pay_${index}`, 1));
  const refunds = payments.map((_entry, index) => refund(`rfnd_${index}`, { of: `pay_${index}` }));
  const startedAt = performance.now();
  const links = linkRefunds([...payments, ...refunds]);
  for (const [index, entry] of payments.entries()) {
    assert.equal(findLatestRefundOf(entry, links), refunds[index]);
  }
  for (const entry of refunds) assert.equal(refundTypeOf(entry, links, 1), 'full_refund');
  // A search for each of them took seconds.
  assert.ok(performance.now() - startedAt < 500);
});

/** Of one refund. */
function findPaymentOf(given: Refund, transactions: readonly Transaction[]) {
  return linkRefunds(transactions).findPaymentOf(given);
}

function payment(
  pspTransactionId: string,
  second: number,
  { status = 'succeeded', amount = total }: { status?: PaymentStatus; amount?: number } = {},
): Payment {
  const recordedAtMs = second * 1_000;
  return foldPayment(
    {
      transactionId: `o_1-26111410000${second}`,
      provider: 'one',
      start: null,
      notices: [
        { pspTransactionId, status, amount, currency: 'INR', recordedAtMs, deliveryKey: 'key' },
      ],
    },
    { total, currency: 'INR' },
  );
}

function refund(
  pspTransactionId: string,
  said: { of?: string; ofOrder?: string; amount?: number; startedAtMs?: number },
): Refund {
  const { of, ofOrder, amount = total, startedAtMs = 0 } = said;
  return foldRefund({
    transactionId: `o_1-${pspTransactionId}`,
    provider: 'one',
    start: null,
    notices: [
      {
        pspTransactionId,
        refundRequestId: pspTransactionId,
        status: 'succeeded',
        amount,
        currency: 'INR',
        startedAtMs,
        deliveryKey: 'key',
        ...(of !== undefined && { paymentPspId: of }),
        ...(ofOrder !== undefined && { paymentPspOrder: ofOrder }),
      },
    ],
  });
}
