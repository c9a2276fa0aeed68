/** Transactions and the notices they are folded from. */
import type {
  PaymentNotice,
  PaymentStatus,
  ProviderName,
  RefundNotice,
  RefundStatus,
  ReviewFlag,
} from '../domain/notice.ts';
import type { Kept, Transaction as OrderTransaction } from '../domain/transaction.ts';
import type { Queryable, Transaction } from './database.ts';

export type TransactionRow = {
  transaction_id: string;
  type: 'payment' | 'refund';
  provider: ProviderName;
  psp_transaction_id: string | null;
  status: PaymentStatus | RefundStatus;
  amount: number | null;
  currency: string | null;
  /** A date from a row, a text from JSON. */
  started_at: Date | string | null;
  recorded_at: Date | string | null;
  finished_at: Date | string | null;
  members: Record<string, unknown>;
  flags: ReviewFlag[];
};

type NoticeRow = {
  transaction_id: string;
  delivery_key: string;
  notice: PaymentNotice | RefundNotice;
};

/** With their notices, as a fold needs them. */
export async function listTransactionsWithNotices(
  database: Queryable,
  accountId: string,
  orderId: string,
): Promise<OrderTransaction[]> {
  const { rows } = await database.query<TransactionRow & { notices: NoticeRow[] | null }>({
    name: 'list-transactions-with-notices',
    text: `select t.*,
                  (select jsonb_agg(jsonb_build_object(
                            'delivery_key', n.delivery_key, 'notice', n.notice))
                     from notices n
                    where n.account_id = t.account_id and n.transaction_id = t.transaction_id
                  ) as notices
             from transactions t
            where t.account_id = $1 and t.order_id = $2`,
    values: [accountId, orderId],
  });
  return rows.map((row) => toTransaction(row, row.notices ?? []));
}

export async function saveTransaction(
  tx: Transaction,
  accountId: string,
  orderId: string,
  transaction: OrderTransaction,
): Promise<void> {
  await tx.query({
    name: 'save-transaction',
    text: `insert into transactions (
             account_id, transaction_id, order_id, type, provider, psp_transaction_id, status,
             amount, currency, started_at, recorded_at, finished_at, members, flags)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
           on conflict (account_id, transaction_id) do update
              set psp_transaction_id = excluded.psp_transaction_id, status = excluded.status,
                  amount = excluded.amount, currency = excluded.currency,
                  started_at = excluded.started_at, recorded_at = excluded.recorded_at,
                  finished_at = excluded.finished_at, members = excluded.members,
                  flags = excluded.flags`,
    values: [
      accountId,
      transaction.transactionId,
      orderId,
      transaction.type,
      transaction.provider,
      transaction.pspTransactionId,
      transaction.status,
      transaction.amount,
      transaction.currency,
      toDate(transaction.startedAtMs),
      toDate(transaction.recordedAtMs),
      toDate(transaction.finishedAtMs),
      JSON.stringify(membersOf(transaction)),
      transaction.flags,
    ],
  });
}

export async function insertNotice(
  tx: Transaction,
  accountId: string,
  transactionId: string,
  deliveryId: string,
  kept: Kept<PaymentNotice> | Kept<RefundNotice>,
): Promise<void> {
  const { deliveryKey, ...notice } = kept;
  await tx.query({
    name: 'insert-notice',
    text: `insert into notices (account_id, transaction_id, delivery_id, delivery_key, notice)
           values ($1, $2, $3, $4, $5)
           on conflict (account_id, transaction_id, delivery_id) do nothing`,
    values: [accountId, transactionId, deliveryId, deliveryKey, JSON.stringify(notice)],
  });
}

/** The members that are only shown, kept together in one column. */
function membersOf(transaction: OrderTransaction): object {
  const { message, failure } = transaction;
  if (transaction.type === 'refund') {
    const { refundRequestId, refundArn, paymentPspId, paymentPspOrder } = transaction;
    return { message, failure, refundRequestId, refundArn, paymentPspId, paymentPspOrder };
  }
  const { paymentMode, subPaymentMode, paymentArn, paymentAcquirer, customerFee, aliases } =
    transaction;
  return {
    message,
    failure,
    paymentMode,
    subPaymentMode,
    paymentArn,
    paymentAcquirer,
    customerFee,
    aliases,
  };
}

export function toTransaction(
  row: TransactionRow,
  notices: ReadonlyArray<Pick<NoticeRow, 'delivery_key' | 'notice'>> = [],
): OrderTransaction {
  const transaction: unknown = {
    ...row.members,
    type: row.type,
    transactionId: row.transaction_id,
    provider: row.provider,
    pspTransactionId: row.psp_transaction_id,
    status: row.status,
    amount: row.amount,
    currency: row.currency,
    startedAtMs: toMs(row.started_at),
    recordedAtMs: toMs(row.recorded_at),
    finishedAtMs: toMs(row.finished_at),
    flags: row.flags,
    notices: notices.map(({ notice, delivery_key }) => ({ ...notice, deliveryKey: delivery_key })),
  };
  return transaction as OrderTransaction;
}

function toDate(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}

function toMs(time: Date | string | null): number | null {
  return time === null ? null : new Date(time).getTime();
}
