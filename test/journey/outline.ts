/** Summarises the reply of an enquiry in a few lines, and compares it with the providers' ledger. */
import assert from 'node:assert/strict';
import { type Ledger, type LedgerRefund, paysInFull } from '../../simulator/simulator.ts';
import type { Reply } from '../support/test-service.ts';

export type Outline = {
  readonly order: string;
  /** Oldest first: `payment failed 118 INSUFFICIENT_FUNDS`, `partial_refund succeeded 50`. */
  readonly transactions: readonly string[];
  /** Refunded, still available, paid; undefined unless the order is completed. */
  readonly refunds: readonly [number, number, number] | undefined;
};

type Entry = {
  readonly transaction_type: string;
  readonly svc_transaction_id: string;
  readonly payment_status: string | null;
  readonly refund_status: string | null;
  readonly psp_transaction_id: string | null;
  readonly transaction_amount: number;
  readonly transaction_currency: string;
  readonly failure_reason: { readonly svc_error_code: string } | null;
};

type EnquiryBody = {
  readonly transaction: readonly Entry[];
  readonly order: {
    readonly svc_order_id: string;
    readonly status: string;
    readonly refund_details: {
      readonly refunded_amount: number;
      readonly available_refundable_amount: number;
      readonly total_refundable_amount: number;
    } | null;
  };
};

export function outlineOf(reply: Reply): Outline {
  const { transaction, order } = bodyOf(reply);
  const { refund_details: details } = order;
  return {
    order: order.status,
    transactions: transaction.map((entry) =>
      [
        entry.transaction_type,
        statusOf(entry),
        entry.transaction_amount,
        ...(entry.failure_reason ? [entry.failure_reason.svc_error_code] : []),
      ].join(' '),
    ),
    refunds: details
      ? [
          details.refunded_amount,
          details.available_refundable_amount,
          details.total_refundable_amount,
        ]
      : undefined,
  };
}

/** The reply shows each payment and refund of the ledger once with the same status, and no other one succeeded. */
export function assertAgrees(reply: Reply, ledger: Ledger): void {
  const { transaction, order } = bodyOf(reply);
  const isOwn = ({ reference }: { readonly reference: string }) =>
    reference.startsWith(`${order.svc_order_id}-`);
  const payments = ledger.payments.filter(isOwn);
  const refunds = joinParts(ledger.refunds.filter(isOwn));
  const happened = [
    ...payments.map((entry) => lineOf(entry.id, paymentStatuses[entry.status], entry)),
    ...refunds.map((entry) => lineOf(entry.id, refundStatuses[entry.status], entry)),
  ];
  const ids = new Set([...payments, ...refunds].map(({ id }) => id));
  const shown = transaction.filter((entry) => ids.has(entry.psp_transaction_id ?? ''));
  assert.deepEqual(shown.map(lineOfEntry).sort(), happened.sort());

  const others = transaction.filter((entry) => !shown.includes(entry));
  for (const entry of others) {
    assert.ok(['new', 'pending', 'failed'].includes(statusOf(entry)), lineOfEntry(entry));
  }
  const sum = (entries: readonly { readonly amount: number }[]) =>
    entries.reduce((total, { amount }) => total + amount, 0) / 100;
  const captured = payments.filter(({ status }) => status === 'captured');
  assert.equal(order.status === 'completed', captured.some(paysInFull), `order ${order.status}`);
  if (!order.refund_details) return;
  const processed = refunds.filter(({ status }) => status === 'processed');
  // A fee that the consumer paid on top is not refundable.
  const net = captured.map(({ amount, fee }) => ({ amount: amount - fee }));
  assert.equal(order.refund_details.total_refundable_amount, sum(net));
  assert.equal(order.refund_details.refunded_amount, sum(processed));
}

/**
 * A refund of a payment with several captures is one call per capture, numbered from the second one. We show it as one
 * refund: pending while a part is, and then what reached the consumer.
 */
function joinParts(refunds: readonly LedgerRefund[]): LedgerRefund[] {
  const wholes = Map.groupBy(refunds, ({ reference }) =>
    reference.replace(/(?<=-\d{12})-\d{1,2}$/, ''),
  );
  return [...wholes.values()].flatMap((parts) => {
    const [first] = parts;
    const status = (['pending', 'processed', 'failed'] as const).find((one) =>
      parts.some((part) => part.status === one),
    );
    const counted = status === 'processed' ? parts.filter((part) => part.status === status) : parts;
    const amount = counted.reduce((sum, part) => sum + part.amount, 0);
    return first && status ? [{ ...first, amount, status }] : [];
  });
}

/** Ids of the transactions that are not final. With a ledger, without payments that the providers do not know. */
export function unfinishedOf(reply: Reply, ledger?: Ledger): string[] {
  const known = ledger?.payments.map(({ reference }) => reference);
  return bodyOf(reply)
    .transaction.filter((entry) => !['succeeded', 'failed', 'reversed'].includes(statusOf(entry)))
    .filter(
      (entry) =>
        entry.transaction_type !== 'payment' || (known?.includes(entry.svc_transaction_id) ?? true),
    )
    .map((entry) => entry.svc_transaction_id);
}

const paymentStatuses = {
  created: 'pending',
  authorized: 'authorized',
  captured: 'succeeded',
  reversed: 'reversed',
  failed: 'failed',
} as const;

const refundStatuses = { pending: 'pending', processed: 'succeeded', failed: 'failed' } as const;

function bodyOf({ status, body }: Reply): EnquiryBody {
  assert.equal(status, 200, JSON.stringify(body));
  return body as EnquiryBody;
}

function statusOf({ transaction_type, payment_status, refund_status }: Entry): string {
  return (transaction_type === 'payment' ? payment_status : refund_status) ?? 'without a status';
}

function lineOfEntry(entry: Entry): string {
  const { psp_transaction_id: id, transaction_amount: amount } = entry;
  return `${id} ${statusOf(entry)} ${amount} ${entry.transaction_currency}`;
}

function lineOf(
  id: string,
  status: string,
  { amount, currency }: { readonly amount: number; readonly currency: string },
): string {
  return `${id} ${status} ${amount / 100} ${currency}`;
}
