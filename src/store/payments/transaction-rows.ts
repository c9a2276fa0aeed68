/** Converts rows of the table `transactions` to domain objects. */

import type { PaymentStatus, RefundStatus } from '../../domain/payments/notice.ts';
import type { Start } from '../../domain/payments/start.ts';
import type {
  Transaction as OrderTransaction,
  Payment,
  Refund,
} from '../../domain/payments/transaction.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { OrderKey } from '../order-rows.ts';

export type TransactionRow = {
  transaction_id: string;
  type: 'payment' | 'refund';
  provider: ProviderName;
  psp_transaction_id: string | null;
  status: PaymentStatus | RefundStatus;
  amount: number | null;
  currency: string | null;
  /** A Date from a column, a string from JSON. */
  started_at: Date | string | null;
  recorded_at: Date | string | null;
  finished_at: Date | string | null;
  fields: Record<string, unknown>;
  flags: ReviewFlag[];
  start: Start | null;
  notices?: OrderTransaction['notices'];
  polled_at: Date | string | null;
};

export type ListedTransaction = OrderKey & { readonly transaction: OrderTransaction };
export type ListedRow = TransactionRow & { account_id: string; order_id: string };

export function toListed(row: ListedRow): ListedTransaction {
  return { accountId: row.account_id, orderId: row.order_id, transaction: toTransaction(row) };
}

/** The fields without a column of their own. They are stored in the column `fields`. */
const paymentFields = {
  message: null,
  failure: null,
  paymentMode: null,
  subPaymentMode: null,
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
} as const satisfies Partial<Payment>;

const refundFields = {
  message: null,
  failure: null,
  refundRequestId: null,
  refundArn: null,
  paymentPspId: null,
  paymentPspOrder: null,
  parts: null,
  voidedPspIds: null,
} as const satisfies Partial<Refund>;

/** Null values are left out. */
export function fieldsOf(transaction: OrderTransaction): object {
  const names = Object.keys(transaction.type === 'payment' ? paymentFields : refundFields);
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const value = transaction[name as keyof OrderTransaction];
    if (value !== null) fields[name] = value;
  }
  return fields;
}

/** Without notices when the query did not select them. */
export function toTransaction(row: TransactionRow): OrderTransaction {
  const transaction: unknown = {
    ...readFields(row),
    type: row.type,
    transactionId: row.transaction_id,
    provider: row.provider,
    start: row.start,
    pspTransactionId: row.psp_transaction_id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    startedAtMs: toMs(row.started_at),
    recordedAtMs: toMs(row.recorded_at),
    finishedAtMs: toMs(row.finished_at),
    flags: row.flags,
    notices: row.notices ?? [],
  };
  return transaction as OrderTransaction;
}

/** Fields that are not stored are null. */
function readFields({ type, fields }: TransactionRow): object {
  const all: Record<string, unknown> = { ...(type === 'payment' ? paymentFields : refundFields) };
  for (const name of Object.keys(all)) all[name] = fields[name] ?? null;
  return all;
}

function toMs(time: Date | string | null): number | null {
  return time === null ? null : new Date(time).getTime();
}
