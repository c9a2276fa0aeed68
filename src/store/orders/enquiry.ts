/**
 * Reads an order and its transactions with one statement, so that both come from the same snapshot: a reply never shows
 * a payment that succeeded beside an order that is still pending.
 */
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import type { Queryable } from '../../postgres/database.ts';
import { type OrderRow, type StoredOrder, toOrder } from '../order-rows.ts';
import { type TransactionRow, toTransaction } from '../payments/transaction-rows.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';

export type OrderWithTransactions = {
  readonly order: Order & Pick<StoredOrder, 'heldNotices' | 'disputeNotices'>;
  readonly transactions: readonly OrderTransaction[];
  /** When the provider was last polled, by transaction id. */
  readonly polledAt: ReadonlyMap<string, Date>;
};

export type OrderQuestion = {
  readonly accountId: string;
  readonly idName: 'order_id' | 'invoice_id' | 'transaction_id';
  readonly id: string;
};

type Asked = OrderQuestion & { readonly index: number };

const questionRows = defineAccountRows<Asked>(
  { integer: ['index'] },
  {
    order_id: ['text', orderIdOf],
    invoice_id: ['text', ({ idName, id }) => (idName === 'invoice_id' ? id : null)],
    transaction: ['text', ({ idName, id }) => (idName === 'transaction_id' ? id : null)],
  },
);

/** The id of a transaction begins with that of its order. */
function orderIdOf({ idName, id }: OrderQuestion): string | null {
  if (idName === 'invoice_id') return null;
  return idName === 'order_id' ? id : (id.split('-', 1)[0] ?? null);
}

/**
 * The results are in the order of the questions, undefined where no order was found. Equal questions are asked once: an
 * order may have many transactions, and all of them may be polled at the same time.
 */
export async function findOrdersWithTransactions(
  database: Queryable,
  questions: readonly OrderQuestion[],
): Promise<Array<OrderWithTransactions | undefined>> {
  const distinct = new Map<string, Asked>();
  const asked = questions.map((question) => {
    const key = keyOf(question);
    const entry = distinct.get(key) ?? { ...question, index: distinct.size };
    distinct.set(key, entry);
    return entry;
  });
  const answers = await askEach(database, [...distinct.values()]);
  return asked.map(({ index }) => answers[index]);
}

function keyOf({ accountId, idName, id }: OrderQuestion): string {
  return `${accountId} ${idName} ${id}`;
}

async function askEach(database: Queryable, asked: readonly Asked[]) {
  const name = 'find-orders-with-transactions';
  const rows = await questionRows.query<EnquiryRow>(database, asked, name)`
    with question as materialized (select * from ${questionRows.from})
    select o.*,
           (select json_agg(t) from (
              select transaction_id, type, provider, psp_transaction_id, status, amount,
                     currency, started_at, recorded_at, finished_at, fields, flags, start,
                     polled_at
                from transactions
               where account_id = ${accountOf('o')} and order_id = o.order_id) t) as transactions
      from (
        select q.index, o.* from question q join orders o
            on o.account_id = ${accountOf('q')} and o.order_id = q.order_id
         where q.transaction is null or q.transaction = (
           select t.transaction_id from transactions t
            where t.account_id = ${accountOf('q')} and t.order_id = q.order_id
              and t.transaction_id = q.transaction)
         union all
        select q.index, o.* from question q join orders o
            on o.account_id = ${accountOf('q')} and o.invoice_id = q.invoice_id) o`;
  const found: OrderWithTransactions[] = [];
  for (const row of rows) found[row.index] = toOrderWithTransactions(row);
  return found;
}

type EnquiryRow = OrderRow & { index: number; transactions: TransactionRow[] | null };

function toOrderWithTransactions(row: EnquiryRow): OrderWithTransactions {
  const transactions = row.transactions ?? [];
  return {
    order: toOrder(row),
    transactions: transactions.map((entry) => toTransaction(entry)),
    polledAt: new Map(
      transactions.flatMap(({ transaction_id, polled_at }) =>
        polled_at === null ? [] : [[transaction_id, new Date(polled_at)] as const],
      ),
    ),
  };
}
