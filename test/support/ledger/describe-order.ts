/** A few lines about an order that is wrong: what is true of it, what the service shows, and what was announced. */
import type { Reply } from '../test-service.ts';
import type { LedgerOrder } from './ledger-order.ts';
import type { Truth } from './truth.ts';

type Body = Reply['body'];

export function describeOrder(
  { asked, total }: LedgerOrder,
  { payments, refunds }: Truth,
  { transaction, order }: Body,
  events: readonly Body[],
): string {
  const lines = [
    `total ${total}, ${order.status} ${JSON.stringify(order.refund_details)}`,
    ...payments.map((payment) => `true payment ${JSON.stringify(payment)}`),
    ...refunds.map((refund) => `true refund ${JSON.stringify(refund)}`),
    ...asked.map(({ requestId, amount, refundIds }) =>
      ['asked', requestId, amount ?? 'all', ...refundIds].join(' '),
    ),
    ...transaction.map((entry: Body) =>
      [
        'shown',
        entry.transaction_type,
        entry.svc_transaction_id,
        entry.psp_transaction_id,
        entry.payment_status ?? entry.refund_status,
        entry.transaction_amount,
        ...entry.disputes.map((dispute: Body) =>
          [dispute.dispute_id, dispute.status, dispute.amount].join(' '),
        ),
      ].join(' '),
    ),
    ...events
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ sequence, event_type, status, message, svc_transaction_id: id, occurred_at: at }) =>
        ['event', sequence, event_type, status, message, id, at].join(' '),
      ),
  ];
  return lines.map((line) => `    ${line}`).join('\n');
}
