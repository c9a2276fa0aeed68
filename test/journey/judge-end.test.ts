import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Dispute, Enquiry, Transaction } from '../../client/client.js';
import type { LedgerDispute, LedgerPayment } from '../../simulator/simulator.ts';
import { endOf } from '../../tools/demo/ends.ts';
import { wrongDisputes, wrongsOf } from '../../tools/demo/judge-end.ts';

/** Tests the check that chaos tests rely on: a correct end passes, and each error is reported. */
const captured: LedgerPayment = {
  provider: 'bank-gateway',
  id: 'x|1',
  reference: 'x',
  currency: 'INR',
  amount: 1000,
  asked: 1000,
  discount: 0,
  fee: 0,
  status: 'captured',
  captured: 1000,
};
const reversed: LedgerPayment = { ...captured, status: 'reversed' };
const inPart: LedgerPayment = { ...captured, amount: 600 };
const discounted: LedgerPayment = { ...captured, amount: 900, discount: 100 };

const paid = { payment_status: 'succeeded', transaction_amount: 10 } as const;
const taken = { payment_status: 'reversed', transaction_amount: 10 } as const;

test('an order that ended correctly has no errors', () => {
  assert.deepEqual(wrongsOf('completed', enquiry('completed', paid), [captured]), []);
  assert.deepEqual(wrongsOf('reversed', enquiry('pending', taken), [reversed]), []);
  assert.deepEqual(wrongsOf('reversed', enquiry('lapsed', taken), [reversed]), []);
  const part = enquiry('pending', { ...paid, transaction_amount: 6 });
  assert.deepEqual(wrongsOf('captured-in-part', part, [inPart]), []);
  const offer = enquiry('completed', { ...paid, transaction_amount: 9, offer_discount: 1 });
  assert.deepEqual(wrongsOf('completed', offer, [discounted]), []);
});

test('an order that ended incorrectly is reported with its errors', () => {
  assert.deepEqual(wrongsOf('completed', enquiry('pending', paid), [captured]), ['is pending']);
  const twice = [captured, { ...captured, id: 'x|2' }];
  assert.deepEqual(
    wrongsOf(
      'completed',
      enquiry('completed', paid, { psp_transaction_id: 'x|2', ...paid }),
      twice,
    ),
    ['was charged 2 times'],
  );
  assert.deepEqual(wrongsOf('completed', enquiry('completed', taken), [captured]), [
    'says reversed of a payment that was captured',
  ]);
  assert.deepEqual(wrongsOf('reversed', enquiry('completed', paid), [reversed]), [
    'is completed',
    'says succeeded of a payment that was reversed',
  ]);
  assert.deepEqual(wrongsOf('reversed', enquiry('pending', paid), [captured]), [
    'was charged 1 times',
    'has no payment that was reversed',
  ]);
  const refund = { transaction_type: 'full_refund' } as const;
  assert.deepEqual(wrongsOf('reversed', enquiry('pending', taken, refund), [reversed]), [
    'has a refund of what was never taken',
  ]);
  assert.deepEqual(wrongsOf('captured-in-part', enquiry('completed', paid), [inPart]), [
    'is completed',
    'says 1000 were paid, the provider 600',
  ]);
  const hidden = enquiry('completed', { ...paid, transaction_amount: 9 });
  assert.deepEqual(wrongsOf('completed', hidden, [discounted]), ['shows 0 off, the provider 100']);
});

test('a dispute that is missing, invented, or shown with another status or amount is an error', () => {
  const lost: LedgerDispute = { ...captured, id: 'disp_1', paymentId: 'x|1', status: 'lost' };
  const told = { dispute_id: 'disp_1', status: 'lost', amount: 10, amount_deducted: 10 } as const;
  const of = (changes: object) =>
    enquiry('completed', { ...paid, disputes: [{ ...told, ...changes } as unknown as Dispute] });
  assert.deepEqual(wrongDisputes(of({}), [lost]), []);
  const isMissing = 'does not show dispute disp_1 lost 1000 1000';
  assert.deepEqual(wrongDisputes(enquiry('completed', { ...paid, disputes: [] }), [lost]), [
    isMissing,
  ]);
  for (const [changes, line] of [
    [{ status: 'won' }, 'disp_1 won 1000 1000'],
    [{ amount: 9 }, 'disp_1 lost 900 1000'],
    [{ amount_deducted: 0 }, 'disp_1 lost 1000 0'],
  ] as const) {
    assert.deepEqual(wrongDisputes(of(changes), [lost]), [isMissing, `shows dispute ${line}`]);
  }
  assert.deepEqual(wrongDisputes(of({}), []), ['shows dispute disp_1 lost 1000 1000']);
});

test('a scenario changes the end only at the provider that supports it', () => {
  assert.equal(endOf('void', 'bank-gateway'), 'reversed');
  assert.equal(endOf('void', 'partner'), 'completed');
  assert.equal(endOf('release', 'partner'), 'reversed');
  assert.equal(endOf('partial-capture-only', 'bank-gateway'), 'captured-in-part');
  assert.equal(endOf('manual-capture', 'partner'), 'completed');
});

function enquiry(
  status: Enquiry['order']['status'],
  ...transactions: readonly Partial<Transaction>[]
): Enquiry {
  const transaction = transactions.map((fields) => ({
    transaction_type: 'payment',
    psp_transaction_id: 'x|1',
    offer_discount: null,
    ...fields,
  }));
  return { order: { status }, transaction } as Enquiry;
}
