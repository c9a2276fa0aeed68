/**
 * An order and its transactions in one statement, so that an answer shows one moment: never a payment
 * that succeeded beside an order that does not know of it.
 */
import type { Order } from '../domain/order.ts';
import type { Transaction as OrderTransaction } from '../domain/transaction.ts';
import type { Queryable } from './database.ts';
import { type OrderRow, toOrder } from './orders.ts';
import { type TransactionRow, toTransaction } from './transactions.ts';

export type OrderWithTransactions = {
  readonly order: Order;
  readonly transactions: readonly OrderTransaction[];
  /** When the provider was last asked about each. */
  readonly askedAt: ReadonlyMap<string, Date>;
};

const conditions = {
  order_id: 'o.order_id = $2',
  invoice_id: 'o.invoice_id = $2',
  transaction_id: `o.order_id = (select order_id from transactions
                                  where account_id = $1 and transaction_id = $2)`,
};

export async function findOrderWithTransactions(
  database: Queryable,
  accountId: string,
  idName: keyof typeof conditions,
  id: string,
): Promise<OrderWithTransactions | undefined> {
  const { rows } = await database.query<OrderRow & { transactions: TransactionRow[] }>({
    name: `find-order-with-transactions-by-${idName}`,
    text: `select o.*,
                  (select coalesce(jsonb_agg(to_jsonb(t)), '[]')
                     from transactions t
                    where t.account_id = o.account_id and t.order_id = o.order_id) as transactions
             from orders o
            where o.account_id = $1 and ${conditions[idName]}`,
    values: [accountId, id],
  });
  const [row] = rows;
  return (
    row && {
      order: toOrder(row),
      transactions: row.transactions.map((entry) => toTransaction(entry)),
      askedAt: new Map(
        row.transactions.flatMap(({ transaction_id, asked_at }) =>
          asked_at === null ? [] : [[transaction_id, new Date(asked_at)] as const],
        ),
      ),
    }
  );
}
