/**
 * Random sets of notices for one order, less plausible than those of the providers: captures, voids, refunds with parts
 * and voids, with few ids, amounts and times, so that they often meet.
 */
import fc from 'fast-check';
import type { StartedTransaction } from '../../src/domain/order-state/matching.ts';
import { failureReason } from '../../src/domain/payments/failure.ts';
import {
  type PaymentNotice,
  paymentStatuses,
  type RefundNotice,
  refundStatuses,
} from '../../src/domain/payments/notice.ts';
import type { StartedPart } from '../../src/domain/payments/start.ts';
import { type Event, now, orderId } from './started-sets.ts';

const times = fc.constantFrom(1_000, 2_000, 3_000, 4_000);
const failure = failureReason('DECLINED_BY_BANK', 'Declined.');
const calls = fc.constantFrom('open', 'taken', 'unknown', 'refused');

/** Each is absent from some of the notices. */
const optional = {
  amount: fc.constantFrom(11_800, 6_800, 5_000, 100),
  currency: fc.constantFrom('INR', 'INR', 'USD'),
  occurredAtMs: times,
  startedAtMs: times,
  recordedAtMs: times,
  statusSinceMs: times,
  message: fc.constantFrom('one', 'two'),
  failure: fc.constant(failure),
};

const sources = fc.record(
  {
    ...optional,
    pspTransactionId: fc.constantFrom('p1', 'p1', 'p2'),
    status: fc.constantFrom(...paymentStatuses, 'authorized', 'authorized'),
    capturedTotal: fc.record({ amount: fc.constantFrom(3_000, 5_000, 11_800), atMs: times }),
    paymentMode: fc.constantFrom('UPI', 'Card'),
    paymentArn: fc.constantFrom('x', 'y'),
    customerFee: fc.constantFrom(100, 200),
    isPartlyApproved: fc.constant(true),
    offerId: fc.constant('offer'),
    providerOrderAmount: fc.constantFrom(11_800, 11_700),
  },
  { requiredKeys: ['pspTransactionId', 'status'] },
);

const captures = fc.record(
  {
    ...optional,
    record: fc.constant('capture'),
    pspTransactionId: fc.constantFrom('c1', 'c2', 'c3'),
    targetPspId: fc.constant('p1'),
    status: fc.constantFrom('pending', 'failed', 'succeeded', 'succeeded', 'succeeded'),
  },
  { requiredKeys: ['record', 'pspTransactionId', 'status'] },
);

/** The kind and the target of a void are the same in all its notices. */
const voids = fc
  .record({
    void: fc.constantFrom(
      { record: 'void-payment', pspTransactionId: 'v1', targetPspId: 'p1' },
      { record: 'void-authorization', pspTransactionId: 'v2' },
      { record: 'void-capture', pspTransactionId: 'v3', targetPspId: 'c1' },
      { record: 'void-capture', pspTransactionId: 'v4' },
    ),
    status: fc.constantFrom('new', 'reversing', 'reversed', 'reversed'),
    more: fc.record(optional, { requiredKeys: [] }),
  })
  .map(({ void: own, status, more }) => ({ ...more, ...own, status }));

const refunds = fc.record(
  {
    ...optional,
    record: fc.constant('void'),
    pspTransactionId: fc.constantFrom('r1', 'r2'),
    status: fc.constantFrom(...refundStatuses),
    refundRequestId: fc.constant('REQ'),
    refundArn: fc.constantFrom('x', 'y'),
    paymentPspId: fc.constantFrom('c1', 'c2'),
  },
  { requiredKeys: ['pspTransactionId', 'status', 'refundRequestId'] },
);

/** The void of a refund has an id of its own. */
const refundsAndVoids = refunds.map(({ record, ...notice }) =>
  record === undefined
    ? notice
    : {
        ...notice,
        record,
        pspTransactionId: `void-${notice.pspTransactionId}`,
        targetPspId: notice.pspTransactionId,
      },
);

const parts = fc
  .tuple(calls, calls)
  .map((states) => states.map((call, index): StartedPart => partOf(`r${index + 1}`, call)));

function partOf(pspTransactionId: string, call: StartedPart['call']): StartedPart {
  const refused = call === 'refused' && { failure, refusedAtMs: 2_000 };
  return {
    pspTransactionId,
    capturePspId: `of-${pspTransactionId}`,
    amount: 100,
    call,
    ...refused,
  };
}

/** A refund that was started here, split over two captures or not. */
const startedRefunds = fc
  .record({ call: calls, parts: fc.option(parts, { nil: undefined }) })
  .map(({ call, parts: own }): StartedTransaction => {
    const refund = { requestId: 'REQ', paymentPspId: 'p1', pspTransactionId: 'r1' };
    const start = { atMs: 1_500, amount: own ? 200 : 100, currency: 'INR', call };
    return {
      type: 'refund',
      transactionId: `${orderId}-261114110000`,
      provider: 'bank-gateway',
      start: { ...start, refund: { ...refund, ...(own && { parts: own }) } },
    };
  });

export const noticeSets: fc.Arbitrary<Event[]> = fc
  .record({
    payments: fc.array(fc.oneof(sources, captures, voids), { maxLength: 8 }),
    refunds: fc.array(refundsAndVoids, { maxLength: 5 }),
    started: fc.option(startedRefunds, { nil: undefined }),
  })
  .map(({ payments, refunds: ofRefunds, started }) => [
    ...(started ? [{ kind: 'start' as const, of: started }] : []),
    ...payments.map((payment, index) =>
      eventOf({ payment: { ...payment, pspOrder: 'order' } as PaymentNotice }, `p${index}`),
    ),
    ...ofRefunds.map((refund, index) =>
      eventOf(
        { refund: { ...refund, paymentPspOrder: 'order' } as RefundNotice },
        `r${index}`,
        started,
      ),
    ),
  ]);

function eventOf(
  notice: { readonly payment: PaymentNotice } | { readonly refund: RefundNotice },
  deliveryKey: string,
  of?: StartedTransaction,
): Event {
  const references = { transactionIds: [], orderIds: [orderId], invoiceIds: [] };
  const delivered = { provider: 'bank-gateway', deliveryKey, receivedAt: now } as const;
  return { kind: 'notice', of, notice: { references, ...notice, ...delivered } };
}
