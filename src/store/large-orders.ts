/** Reads the part of a large order that a batch of deliveries can change. Contract 4.14. */
import type { PspName } from '../domain/transactions/large-order.ts';
import { defineRows } from '../postgres/binary-rows.ts';
import type { Transaction } from '../postgres/database.ts';
import type { OrderName, StoredOrder } from './order-rows.ts';
import { type ListedRow, type ListedTransaction, toListed } from './transaction-rows.ts';

export type LargeOrder = StoredOrder & { readonly tally: NonNullable<StoredOrder['tally']> };
export type AccountPspName = PspName & { readonly accountId: string };

/** An order with its counted payment, or a name. */
type Wanted = { readonly accountId: string; readonly order?: LargeOrder; readonly name?: PspName };

const wantedRows = defineRows<Wanted>({
  account_id: ['text', ({ accountId }) => accountId],
  order_id: ['text', ({ order }) => order?.orderId],
  counted_id: ['text', ({ order }) => order?.tally.countedId],
  provider: ['text', ({ name }) => name?.provider],
  psp_id: ['text', ({ name }) => name?.pspTransactionId],
});

/** The counted payment of each order, and the transactions of each order with one of the names. */
export async function listAffectedTransactions(
  tx: Transaction,
  orders: readonly LargeOrder[],
  names: readonly AccountPspName[],
): Promise<ListedTransaction[]> {
  const wanted: Wanted[] = [
    ...orders.map((order) => ({ accountId: order.accountId, order })),
    ...names.map((name) => ({ accountId: name.accountId, name })),
  ];
  const { rows } = await tx.query<ListedRow>({
    name: 'list-affected-transactions',
    // Keys first: a transaction may be wanted twice, and a row with json has no equality. "offset 0" keeps the planner
    // from reading all transactions of the orders instead of the index on the provider's ids. A name may be that of a
    // transaction of another order, which is not listed.
    text: `with wanted as materialized (select * from ${wantedRows.from})
           select t.* from (
             select account_id, order_id, counted_id as transaction_id from wanted
              where counted_id is not null
             union
             select wanted.account_id, named.owner, named.transaction_id from wanted
              cross join lateral (select t.order_id as owner, t.transaction_id from transactions t
                where t.account_id = wanted.account_id and t.provider = wanted.provider
                  and t.type in ('payment', 'refund') and t.psp_transaction_id = wanted.psp_id
                  offset 0) named
              where named.owner = any (array(select order_id from wanted))) as found
             join transactions t using (account_id, order_id, transaction_id)`,
    values: wantedRows.toParameters(wanted),
  });
  return rows.map(toListed);
}

/** An id is the order's, a hyphen and the time of the transaction. Contract 4.5. */
const timeChars = 12;

export type FirstId = OrderName & { readonly idsFrom: string };

const firstIdRows = defineRows<FirstId>({
  account_id: ['text', ({ accountId }) => accountId],
  order_id: ['text', ({ orderId }) => orderId],
  ids_from: ['text', ({ idsFrom }) => idsFrom],
});

/** The ids of each order's transactions from the given one on. They are sent as one text, which is small. */
export async function listTransactionIds(
  tx: Transaction,
  orders: readonly FirstId[],
): Promise<Array<ReadonlySet<string>>> {
  const { rows } = await tx.query<{ account_id: string; order_id: string; times: string | null }>({
    name: 'list-transaction-ids',
    text: `select account_id, order_id, listed.times from ${firstIdRows.from}
            cross join lateral (
              select string_agg(right(transaction_id, ${timeChars}), '') as times from transactions t
               where t.account_id = row.account_id and t.order_id = row.order_id
                 and t.transaction_id >= row.ids_from) listed`,
    values: firstIdRows.toParameters(orders),
  });
  return orders.map(({ accountId, orderId }) => {
    const own = rows.find((row) => row.account_id === accountId && row.order_id === orderId);
    return new Set(splitTimes(own?.times ?? '').map((time) => `${orderId}-${time}`));
  });
}

function splitTimes(times: string): string[] {
  return Array.from({ length: times.length / timeChars }, (_time, index) =>
    times.slice(index * timeChars, (index + 1) * timeChars),
  );
}
