/** Reads the part of a large order that a batch of deliveries can change. Contract 4.14. */
import type { PspKey } from '../../domain/order-state/large-order.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { OrderKey, StoredOrder } from '../order-rows.ts';
import { type ListedRow, type ListedTransaction, toListed } from '../payments/transaction-rows.ts';
import { defineAccountRows } from '../per-account.ts';

export type LargeOrder = StoredOrder & { readonly tally: NonNullable<StoredOrder['tally']> };
export type AccountPspKey = PspKey & { readonly accountId: string };

const types = ['payment', 'refund'] as const;
type Type = (typeof types)[number];

/** An order with its counted payment, or the key of a transaction. */
type Wanted = {
  readonly accountId: string;
  readonly order?: LargeOrder;
  readonly key?: PspKey;
  /** Of the transaction with this key: keys are looked up as both. */
  readonly type?: Type;
};

const wantedRows = defineAccountRows<Wanted>(
  { text: ['type'] },
  {
    order_id: ['text', ({ order }) => order?.orderId],
    counted_id: ['text', ({ order }) => order?.tally.countedId],
    provider: ['text', ({ key }) => key?.provider],
    psp_id: ['text', ({ key }) => key?.pspTransactionId],
  },
);

/** The counted payment of each order, and the transactions of each order with one of the keys. */
export async function listAffectedTransactions(
  tx: Transaction,
  orders: readonly LargeOrder[],
  keys: readonly AccountPspKey[],
): Promise<ListedTransaction[]> {
  const wanted: Wanted[] = [
    ...orders.map((order) => ({ accountId: order.accountId, order })),
    ...keys.flatMap((key) => types.map((type) => ({ accountId: key.accountId, key, type }))),
  ];
  // Keys first: a transaction may be wanted twice, and a row with json has no equality. "offset 0" keeps the planner
  // from reading all transactions of the orders instead of the index on the provider's ids. A key may be that of a
  // transaction of another order, which is not listed.
  const rows = await wantedRows.query<ListedRow>(tx, wanted, 'list-affected-transactions')`
    with wanted as materialized (select * from ${wantedRows.from})
    select t.* from (
      select order_id, counted_id as transaction_id from wanted
       where counted_id is not null
      union
      select named.owner, named.transaction_id from (
        select t.order_id as owner, t.transaction_id from wanted join transactions t
            on t.account_id = $1 and t.provider = wanted.provider
           and t.type = wanted.type and t.psp_transaction_id = wanted.psp_id
        offset 0) named
       where named.owner = any (array(select order_id from wanted))) as found
      join transactions t on t.account_id = $1 and t.order_id = found.order_id
       and t.transaction_id = found.transaction_id`;
  return rows.map(toListed);
}

/** An id is the order's, a hyphen and the time of the transaction. Contract 4.5. */
const timeChars = 12;

type FirstId = OrderKey & { readonly idsFrom: string };

const firstIdRows = defineAccountRows<FirstId>({ text: ['orderId', 'idsFrom'] });

/** The ids of each order's transactions from the given one on. They are sent as one text, which is small. */
export async function listTransactionIds(tx: Transaction, orders: readonly FirstId[]) {
  type Listed = { account_id: string; order_id: string; times: string | null };
  const rows = await firstIdRows.query<Listed>(tx, orders, 'list-transaction-ids')`
    select $1 as account_id, row.order_id,
           (select string_agg(right(transaction_id, ${timeChars}), '') from transactions t
             where t.account_id = $1 and t.order_id = row.order_id
               and t.transaction_id >= row.ids_from) as times
      from ${firstIdRows.from}`;
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
