/** Reads and writes of the table `transactions`, which also stores the notices that a transaction is folded from. */
import type { MinorUnits } from '../../domain/money/money.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import { toDate } from '../../domain/time.ts';
import { type Columns, defineRows } from '../../postgres/binary-rows.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { type Sql, sql } from '../../postgres/sql.ts';
import { type OrderKey, orderIds } from '../order-rows.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { execute, insertAll, listRows } from '../query.ts';
import { fieldsOf, type ListedRow, type ListedTransaction, toListed } from './transaction-rows.ts';

/** The SQL condition for the transaction `t` with this id. The id starts with the order id, so the primary key finds it. */
export function hasId(id: Sql): Sql {
  return sql`t.order_id = split_part(${id}, '-', 1) and t.transaction_id = ${id}`;
}

/** Includes the notices, which a fold needs. */
export async function listTransactionsOf(database: Queryable, orders: readonly OrderKey[]) {
  const found = await orderIds.query<ListedRow>(database, orders, 'list-transactions-of')`
    select t.* from ${orderIds.from} join transactions t
        on t.account_id = ${accountOf('row')} and t.order_id = row.order_id`;
  return found.map(toListed);
}

/** Some transactions of one order, with their notices. */
export async function listTransactionsById(
  database: Queryable,
  { accountId, orderId }: OrderKey,
  transactionIds: readonly string[],
): Promise<ListedTransaction[]> {
  const rows = await listRows<ListedRow>(database, [accountId, orderId, transactionIds])`
    select * from transactions
     where account_id = $1 and order_id = $2 and transaction_id = any($3::text[])`;
  return rows.map(toListed);
}

/** Those of small orders only: of a large one, only a part may be needed. */
export async function listTransactionsOfSmall(tx: Transaction, orders: readonly OrderKey[]) {
  // "offset 0" fixes the join order: the planner would read the transactions of large orders before their tally.
  const found = await orderIds.query<ListedRow>(tx, orders, 'list-transactions-of-small')`
    select t.* from (
      select o.account_id, o.order_id, o.tally from ${orderIds.from} join orders o
          on o.account_id = ${accountOf('row')} and o.order_id = row.order_id
       offset 0) small
      join transactions t
        on t.account_id = ${accountOf('small')} and t.order_id = small.order_id
     where small.tally is null`;
  return found.map(toListed);
}

export type SavedTransaction = OrderKey & {
  readonly transaction: OrderTransaction;
  /** The earliest time of the next poll; null when the transaction is final. */
  readonly pollAt: Date | null;
  /** In the currency of the order. */
  readonly movedAmount: MinorUnits;
  /** The consumer's user id; set only on payments that succeeded. */
  readonly paidBy: string | null;
};

const columns: Columns<SavedTransaction> = {
  transaction_id: ['text', ({ transaction }) => transaction.transactionId],
  order_id: ['text', ({ orderId }) => orderId],
  type: ['text', ({ transaction }) => transaction.type],
  provider: ['text', ({ transaction }) => transaction.provider],
  psp_transaction_id: ['text', ({ transaction }) => transaction.pspTransactionId],
  status: ['text', ({ transaction }) => transaction.status],
  amount: ['bigint', ({ transaction }) => transaction.amount],
  currency: ['text', ({ transaction }) => transaction.currency],
  started_at: ['timestamptz', ({ transaction }) => toDate(transaction.startedAtMs)],
  recorded_at: ['timestamptz', ({ transaction }) => toDate(transaction.recordedAtMs)],
  finished_at: ['timestamptz', ({ transaction }) => toDate(transaction.finishedAtMs)],
  fields: ['jsonb', ({ transaction }) => fieldsOf(transaction)],
  flags: ['text[]', ({ transaction }) => transaction.flags],
  start: ['json', ({ transaction }) => transaction.start],
  notices: ['json', ({ transaction }) => transaction.notices],
  moved_amount: ['bigint', ({ movedAmount }) => movedAmount],
  next_poll_at: ['timestamptz', ({ pollAt }) => pollAt],
  paid_by: ['text', ({ paidBy }) => paidBy],
};

const inserted = defineRows<SavedTransaction>({ text: ['accountId'] }, columns);

const updated = defineAccountRows<SavedTransaction>({ text: ['orderId'] }, columns);

/**
 * The unique index on the provider's id ends the race of two deliveries that add one payment to two orders. The second
 * transaction is retried and then finds the payment at the first order.
 */
const concurrentInserts = ['transactions_psp'];

export async function insertTransactions(tx: Transaction, fresh: readonly SavedTransaction[]) {
  await insertAll(tx, {
    name: 'insert-transactions',
    into: 'transactions',
    rows: inserted,
    entries: fresh,
    concurrentInserts,
  });
}

export async function updateTransactions(tx: Transaction, changed: readonly SavedTransaction[]) {
  await updated.query(tx, changed, 'update-transactions', concurrentInserts)`
    update transactions t
       set type = row.type, provider = row.provider,
           psp_transaction_id = row.psp_transaction_id, status = row.status,
           amount = row.amount, currency = row.currency, started_at = row.started_at,
           recorded_at = row.recorded_at, finished_at = row.finished_at,
           fields = row.fields, flags = row.flags, start = row.start,
           notices = row.notices, paid_by = row.paid_by, moved_amount = row.moved_amount,
           next_poll_at = case when row.next_poll_at is null then null
                         when row.status = 'authorized'
                         then least(t.next_poll_at, row.next_poll_at)
                         else coalesce(t.next_poll_at, row.next_poll_at) end
      from ${updated.from}
     where t.account_id = ${accountOf('row')} and t.order_id = row.order_id
       and t.transaction_id = row.transaction_id`;
}

/** Must run before an id moves from one transaction to another, because the ids are unique. */
export async function releasePspIds(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  transactionIds: readonly string[],
) {
  await execute(tx, [accountId, orderId, transactionIds])`
    update transactions set psp_transaction_id = null
     where account_id = $1 and order_id = $2 and transaction_id = any($3::text[])`;
}

/** For a transaction from a provider's report that turned out to be one that was started here under another id. */
export async function deleteTransactions(
  tx: Transaction,
  { accountId, orderId }: OrderKey,
  transactionIds: readonly string[],
) {
  await execute(tx, [accountId, orderId, transactionIds])`
    delete from transactions
     where account_id = $1 and order_id = $2 and transaction_id = any($3::text[])`;
}

/** The SQL condition for a refund `t` of which something reached the consumer. */
export const isRefunded = sql`t.type = 'refund' and (t.status = 'succeeded' or t.moved_amount > 0)`;
