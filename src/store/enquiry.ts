/**
 * Reads an order and its transactions with one statement, so that both come from the same snapshot: a reply never shows
 * a payment that succeeded beside an order that is still pending.
 */
import type { Order } from '../domain/orders/order.ts';
import type { Transaction as OrderTransaction } from '../domain/transactions/transaction.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Queryable } from '../postgres/database.ts';
import { type OrderRow, type StoredOrder, toOrder } from './order-rows.ts';
import { type TransactionRow, toTransaction } from './transaction-rows.ts';
import { hasId } from './transactions.ts';

export type OrderWithTransactions = {
  readonly order: Order & Pick<StoredOrder, 'heldNotices'>;
  readonly transactions: readonly OrderTransaction[];
  /** When the provider was last polled, by transaction id. */
  readonly polledAt: ReadonlyMap<string, Date>;
};

export type OrderQuestion = {
  readonly accountId: string;
  readonly idName: 'order_id' | 'invoice_id' | 'transaction_id';
  readonly id: string;
};

const questionRows = defineRows<readonly [index: number, question: OrderQuestion]>({
  index: ['integer', ([index]) => index],
  account: ['text', ([, { accountId }]) => accountId],
  kind: ['text', ([, { idName }]) => idName],
  id: ['text', ([, { id }]) => id],
});

/**
 * The results are in the order of the questions, undefined where no order was found. Equal questions are asked once: an
 * order may have many transactions, and all of them may be polled at the same time.
 */
export async function findOrdersWithTransactions(
  database: Queryable,
  questions: readonly OrderQuestion[],
): Promise<Array<OrderWithTransactions | undefined>> {
  const distinct = new Map(questions.map((question) => [keyOf(question), question]));
  const answers = await askEach(database, [...distinct.values()]);
  const byKey = new Map([...distinct.keys()].map((key, index) => [key, answers[index]]));
  return questions.map((question) => byKey.get(keyOf(question)));
}

function keyOf({ accountId, idName, id }: OrderQuestion): string {
  return `${accountId} ${idName} ${id}`;
}

async function askEach(
  database: Queryable,
  questions: readonly OrderQuestion[],
): Promise<Array<OrderWithTransactions | undefined>> {
  const { rows } = await database.query<EnquiryRow>({
    name: 'find-orders-with-transactions',
    text: `select index, o.*,
                  (select json_agg(t) from (
                     select transaction_id, type, provider, psp_transaction_id, status, amount,
                            currency, started_at, recorded_at, finished_at, fields, flags, start,
                            polled_at
                       from transactions
                      where account_id = o.account_id and order_id = o.order_id) t) as transactions
             from ${questionRows.from}
            cross join lateral (
              select * from orders
               where kind = 'order_id' and account_id = account and order_id = id
              union all
              select * from orders
               where kind = 'invoice_id' and account_id = account and invoice_id = id
              union all
              select * from orders
               where kind = 'transaction_id' and account_id = account
                 and order_id = (select t.order_id from transactions t
                                  where t.account_id = account and ${hasId('id')})) o`,
    values: questionRows.toParameters([...questions.entries()]),
  });
  const found = new Map(rows.map((row) => [row.index, row]));
  return questions.map((_question, index) => {
    const row = found.get(index);
    return row && toOrderWithTransactions(row);
  });
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
