/** Transactions and the notices they are folded from. */
import type {
  PaymentNotice,
  PaymentStatus,
  ProviderName,
  RefundNotice,
  RefundStatus,
  ReviewFlag,
} from '../domain/notice.ts';
import type { Start } from '../domain/start.ts';
import type { Kept, Transaction as OrderTransaction, StartNames } from '../domain/transaction.ts';
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
  start: Start | null;
  asked_at: Date | string | null;
};

type NoticeRow = {
  transaction_id: string;
  delivery_key: string;
  notice: (PaymentNotice | RefundNotice) & { names?: StartNames };
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

/** One that is not final is to be asked for at its provider, from the given time on. */
export async function saveTransaction(
  tx: Transaction,
  accountId: string,
  orderId: string,
  transaction: OrderTransaction,
  askAt: Date | null,
): Promise<void> {
  await tx.query({
    name: 'save-transaction',
    text: `insert into transactions (
             account_id, transaction_id, order_id, type, provider, psp_transaction_id, status,
             amount, currency, started_at, recorded_at, finished_at, members, flags, start,
             next_ask_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
           on conflict (account_id, transaction_id) do update
              set psp_transaction_id = excluded.psp_transaction_id, status = excluded.status,
                  amount = excluded.amount, currency = excluded.currency,
                  started_at = excluded.started_at, recorded_at = excluded.recorded_at,
                  finished_at = excluded.finished_at, members = excluded.members,
                  flags = excluded.flags, start = excluded.start,
                  next_ask_at = case when excluded.next_ask_at is not null
                                then coalesce(transactions.next_ask_at, excluded.next_ask_at) end`,
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
      transaction.start && JSON.stringify(transaction.start),
      askAt,
    ],
  });
}

/** A provider's id that goes from one transaction to another must be free in between. */
export async function releasePspId(
  tx: Transaction,
  accountId: string,
  transactionId: string,
): Promise<void> {
  await tx.query({
    text: `update transactions set psp_transaction_id = null
            where account_id = $1 and transaction_id = $2`,
    values: [accountId, transactionId],
  });
}

/** What a provider reported turned out to be what was started here under another id. */
export async function deleteTransaction(
  tx: Transaction,
  accountId: string,
  transactionId: string,
): Promise<void> {
  await tx.query({
    text: 'delete from transactions where account_id = $1 and transaction_id = $2',
    values: [accountId, transactionId],
  });
}

export async function moveNotice(
  tx: Transaction,
  accountId: string,
  deliveryKey: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await tx.query({
    text: `update notices set transaction_id = $4
            where account_id = $1 and transaction_id = $3 and delivery_key = $2`,
    values: [accountId, deliveryKey, from, to],
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
    start: row.start,
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
