/** The orders of a half hour with their transactions, a page at a time. Order ids begin with the time. */

import { firstOrderIdAt } from '../../domain/ids.ts';
import type { OrderToCount } from '../../domain/reports/count-orders.ts';
import { slotAfter } from '../../domain/reports/slot.ts';
import type { Queryable } from '../../postgres/database.ts';
import { sql } from '../../postgres/sql.ts';
import { type TransactionRow, toTransaction } from '../payments/transaction-rows.ts';
import { listRows } from '../query.ts';
import type { Slot } from './figures.ts';

type OrderRow = Omit<OrderToCount, 'transactions'> & { readonly orderId: string };

const pageSize = 1_000;

export async function* eachSlotOrder(
  database: Queryable,
  { accountId, startsAt }: Slot,
): AsyncGenerator<OrderToCount, void> {
  const end = firstOrderIdAt(slotAfter(startsAt));
  let from = firstOrderIdAt(startsAt);
  for (let isFirst = true; ; isFirst = false) {
    const rows = await listRows<OrderRow>(database, [accountId, from, end])`
      select order_id as "orderId", status, currency, total_amount as total from orders
       where account_id = $1 and order_id ${isFirst ? sql`>=` : sql`>`} $2 and order_id < $3
       order by order_id limit ${pageSize}`;
    const transactions = await listTransactions(database, accountId, rows);
    for (const { orderId, ...fields } of rows) {
      yield { ...fields, transactions: transactions.get(orderId) ?? [] };
    }
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    from = last.orderId;
  }
}

async function listTransactions(
  database: Queryable,
  accountId: string,
  orders: readonly OrderRow[],
): Promise<ReadonlyMap<string, OrderToCount['transactions']>> {
  const values = [accountId, orders.map(({ orderId }) => orderId)];
  const rows = await listRows<TransactionRow & { order_id: string }>(database, values)`
    select order_id, transaction_id, type, provider, psp_transaction_id, status, amount, currency,
           started_at, recorded_at, finished_at, fields, flags, start, polled_at
      from transactions where account_id = $1 and order_id = any($2::text[])`;
  const byOrder = Map.groupBy(rows, (row) => row.order_id);
  return new Map([...byOrder].map(([orderId, own]) => [orderId, own.map(toTransaction)]));
}
