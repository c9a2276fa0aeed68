/** The short way of placing one payment gives what the general way gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { placeOnePayment, placeRecords } from '../../../src/domain/order-state/placement.ts';
import { paymentStatuses } from '../../../src/domain/payments/notice.ts';
import type {
  StoredPaymentNotice,
  StoredRefundNotice,
} from '../../../src/domain/payments/transaction.ts';

const seed = Number(process.env.ANY_ORDER_SEED ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env.ANY_ORDER_RUNS ?? 1_000);

const ids = fc.constantFrom('pay_A', 'pay_A', 'pay_A', 'pay_B');
const sources = fc.record(
  {
    deliveryKey: fc.string(),
    pspTransactionId: ids,
    status: fc.constantFrom(...paymentStatuses),
    targetPspId: ids,
    amount: fc.nat(),
    recordedAtMs: fc.nat(),
    capturedTotal: fc.record({ amount: fc.nat(), atMs: fc.nat() }),
  },
  { requiredKeys: ['deliveryKey', 'pspTransactionId', 'status'] },
) as fc.Arbitrary<StoredPaymentNotice>;
const records = fc.constantFrom('capture', 'void-capture', 'void-payment', 'void-authorization');
const others = fc.tuple(sources, records).map(([source, record]) => ({ ...source, record }));
const payments = fc.oneof({ weight: 5, arbitrary: sources }, { weight: 1, arbitrary: others });
const refunds = fc.record({
  deliveryKey: fc.string(),
  pspTransactionId: fc.constant('rfnd_A'),
  paymentPspId: ids,
  refundRequestId: fc.constant('RR-1'),
  status: fc.constant('succeeded'),
}) as unknown as fc.Arbitrary<StoredRefundNotice>;

test('reports of one payment are placed as all records are', () => {
  let short = 0;
  fc.assert(
    fc.property(
      fc.array(payments, { minLength: 1, maxLength: 4 }),
      fc.array(refunds, { maxLength: 1 }),
      (ofPayments, ofRefunds) => {
        const group = { payments: ofPayments, refunds: ofRefunds };
        const placed = placeOnePayment(group);
        if (!placed) return;
        short += 1;
        assert.deepEqual(placed, placeRecords(group, new Map()));
      },
    ),
    { seed, numRuns },
  );
  assert.ok(short > numRuns / 10, `${short} of ${numRuns} took the short way`);
});
