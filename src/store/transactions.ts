/** Transactions and the notices they are folded from. */
import type { PaymentStatus, ProviderName, RefundStatus, ReviewFlag } from '../domain/notice.ts';
import type { Start } from '../domain/start.ts';
import type { Transaction as OrderTransaction } from '../domain/transaction.ts';
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
  notices?: OrderTransaction['notices'];
  asked_at: Date | string | null;
};

type Owned = { readonly accountId: string; readonly orderId: string };

/** With their notices, as a fold needs them. */
export async function listTransactionsOf(
  database: Queryable,
  orders: readonly Owned[],
): Promise<Array<Owned & { readonly transaction: OrderTransaction }>> {
  const { rows } = await database.query<TransactionRow & { account_id: string; order_id: string }>({
    name: 'list-transactions-of',
    text: `select t.* from unnest($1::text[], $2::text[]) as asked (account_id, order_id)
             join transactions t using (account_id, order_id)`,
    values: [orders.map(({ accountId }) => accountId), orders.map(({ orderId }) => orderId)],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    orderId: row.order_id,
    transaction: toTransaction(row),
  }));
}

export type SavedTransaction = Owned & {
  readonly transaction: OrderTransaction;
  /** From when on its provider is to be asked about it; null when nothing is open. */
  readonly askAt: Date | null;
};

export async function saveTransactions(
  tx: Transaction,
  saved: readonly SavedTransaction[],
): Promise<void> {
  if (saved.length === 0) return;
  await tx.query({
    name: 'save-transactions',
    text: `insert into transactions (
             account_id, transaction_id, order_id, type, provider, psp_transaction_id, status,
             amount, currency, started_at, recorded_at, finished_at, members, flags, start,
             notices, next_ask_at)
           select account_id, transaction_id, order_id, type, provider, psp_transaction_id, status,
             amount, currency, started_at, recorded_at, finished_at, members, flags, start,
             notices, next_ask_at
             from json_to_recordset($1::json) as row (
               account_id text, transaction_id text, order_id text, type text, provider text,
               psp_transaction_id text, status text, amount bigint, currency text,
               started_at timestamptz, recorded_at timestamptz, finished_at timestamptz,
               members jsonb, flags text[], start jsonb, notices jsonb, next_ask_at timestamptz)
           on conflict (account_id, transaction_id) do update
              set psp_transaction_id = excluded.psp_transaction_id, status = excluded.status,
                  amount = excluded.amount, currency = excluded.currency,
                  started_at = excluded.started_at, recorded_at = excluded.recorded_at,
                  finished_at = excluded.finished_at, members = excluded.members,
                  flags = excluded.flags, start = excluded.start, notices = excluded.notices,
                  next_ask_at = case when excluded.next_ask_at is not null
                                then coalesce(transactions.next_ask_at, excluded.next_ask_at) end`,
    values: [JSON.stringify(saved.map(toRow))],
  });
}

/** A provider's id that goes from one transaction to another must be free in between. */
export async function releasePspIds(
  tx: Transaction,
  accountId: string,
  transactionIds: readonly string[],
): Promise<void> {
  await tx.query({
    text: `update transactions set psp_transaction_id = null
            where account_id = $1 and transaction_id = any($2::text[])`,
    values: [accountId, transactionIds],
  });
}

/** What a provider reported turned out to be what was started here under another id. */
export async function deleteTransactions(
  tx: Transaction,
  accountId: string,
  transactionIds: readonly string[],
): Promise<void> {
  await tx.query({
    text: 'delete from transactions where account_id = $1 and transaction_id = any($2::text[])',
    values: [accountId, transactionIds],
  });
}

function toRow({ accountId, orderId, transaction, askAt }: SavedTransaction) {
  return {
    account_id: accountId,
    transaction_id: transaction.transactionId,
    order_id: orderId,
    type: transaction.type,
    provider: transaction.provider,
    psp_transaction_id: transaction.pspTransactionId,
    status: transaction.status,
    amount: transaction.amount,
    currency: transaction.currency,
    started_at: toDate(transaction.startedAtMs),
    recorded_at: toDate(transaction.recordedAtMs),
    finished_at: toDate(transaction.finishedAtMs),
    members: membersOf(transaction),
    flags: transaction.flags,
    start: transaction.start,
    notices: transaction.notices,
    next_ask_at: askAt,
  };
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

/** Without notices where only the state was asked for. */
export function toTransaction(row: TransactionRow): OrderTransaction {
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
    notices: row.notices ?? [],
  };
  return transaction as OrderTransaction;
}

function toDate(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs);
}

function toMs(time: Date | string | null): number | null {
  return time === null ? null : new Date(time).getTime();
}
