/**
 * Reads orders page by page, each with its transactions, history and deliveries: one statement per table and page, and
 * all of them on one snapshot, so that a change between two statements cannot look like a contradiction.
 */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { AnyRow, Database, Queryable } from '../../postgres/database.ts';
import { columnsOf, type Sql, sql } from '../../postgres/sql.ts';
import {
  type DisputeRow,
  disputeColumns,
  type StoredDispute,
  toStoredDispute,
} from '../disputes/dispute-rows.ts';
import { deliveryColumns } from '../inbox/deliveries.ts';
import { type OrderKey, type OrderRow, type StoredOrder, toStoredOrder } from '../order-rows.ts';
import { type HistoryRecord, type HistoryRecordRow, toHistoryRecord } from '../orders/history.ts';
import { type ListedRow, type ListedTransaction, toListed } from '../payments/transaction-rows.ts';
import { listRows } from '../query.ts';
import { readSnapshot } from '../snapshot.ts';
import { conditionOf } from './invariants.ts';

export type OrderPage = {
  readonly orders: readonly StoredOrder[];
  /** In the order of their orders. An order that is not in `orders` does not exist. */
  readonly transactions: readonly ListedTransaction[];
  readonly history: readonly HistoryOfOrder[];
  /** Those of one order in the order in which they were applied. */
  readonly deliveries: readonly Delivery[];
  /** Those of one order by their numbers. */
  readonly events: readonly EventOfOrder[];
  readonly disputes: readonly StoredDispute[];
  /** There are no orders behind this page. */
  readonly isLast: boolean;
};

type HistoryOfOrder = OrderKey & HistoryRecord;

export type EventOfOrder = OrderKey & {
  readonly sequence: number;
  readonly transactionId: string | null;
  readonly status: string;
};

/** The orders behind `after`, of one account or of all. */
export type OrdersAfter = {
  readonly after: OrderKey | undefined;
  readonly accountId: string | undefined;
};

/** A page with more rows of one table, or more bytes of bodies, does not fit. It bounds the memory of the reader. */
const rowsMax = 5_000;
const bodyBytesMax = 8 * 1024 * 1024;

/** Undefined when the rows of so many orders do not fit: a smaller page must be read. A page of one order always fits. */
export function readOrderPage(database: Database, from: OrdersAfter, size: number) {
  return readSnapshot(database, async (tx) => {
    const orders = await listOrders(tx, from, size);
    const isLast = orders.length < size;
    // The last page has no end, so that rows of orders that do not exist are found behind the last order too.
    const range = { ...from, upTo: isLast ? undefined : orders.at(-1) };
    const limit = size > 1 ? rowsMax : undefined;
    const [transactions, history, deliveries, events, disputes] = await Promise.all([
      listTransactions(tx, range, limit),
      listHistory(tx, range, limit),
      listDeliveries(tx, range, limit),
      listEvents(tx, range, limit),
      listDisputes(tx, range, limit),
    ]);
    if (!transactions || !history || !deliveries || !events || !disputes) return undefined;
    return { orders, transactions, history, deliveries, events, disputes, isLast };
  });
}

const orderKey = [sql`account_id`, sql`order_id`];

async function listOrders(tx: Queryable, { after, accountId }: OrdersAfter, size: number) {
  const { condition, values } = conditionOf(orderKey, { after: keyOf(after), accountId });
  const rows = await listRows<OrderRow>(tx, [...values, size])`
    select account_id, order_id, status, attempts, currency, amount_before_tax, tax, total_amount,
           created_at, lapses_at, flags, user_id, held_notices, dispute_notices, tally,
           erased_at, event_sequence
      from orders where ${condition}
     order by account_id, order_id limit $${values.length + 1}`;
  return rows.map(toStoredOrder);
}

function keyOf(key: OrderKey | undefined): string[] | undefined {
  return key && [key.accountId, key.orderId];
}

/** The rows of these orders, and rows whose order would be between them if it existed. */
type OrderRange = OrdersAfter & { readonly upTo: OrderKey | undefined };

type ListOf<Row> = (
  tx: Queryable,
  range: OrderRange,
  limit: number | undefined,
) => Promise<readonly Row[] | undefined>;

const listTransactions: ListOf<ListedTransaction> = async (tx, range, limit) => {
  const rows = await listOfRange<ListedRow>(tx, range, limit, {
    columns: sql`account_id, order_id, transaction_id, type, provider, psp_transaction_id, status, amount,
              currency, started_at, recorded_at, finished_at, fields, flags, start, notices`,
    from: sql`transactions`,
    sort: sql`transaction_id`,
  });
  return rows?.map(toListed);
};

const listHistory: ListOf<HistoryOfOrder> = async (tx, range, limit) => {
  const rows = await listOfRange<OrderKey & HistoryRecordRow>(tx, range, limit, {
    columns: columnsOf('accountId, orderId, position, entries'),
    from: sql`history`,
    sort: sql`position`,
  });
  return rows?.map((row) => ({ ...row, ...toHistoryRecord(row) }));
};

const listDeliveries: ListOf<Delivery> = async (tx, range, limit) => {
  const rows = await listOfRange<Delivery & { bytes?: number }>(tx, range, limit, {
    columns: deliveryColumns,
    from: sql`deliveries d`,
    sort: sql`finished_at, delivery_id`,
    bytesMax: bodyBytesMax,
  });
  const isTooLarge = limit !== undefined && (rows?.at(-1)?.bytes ?? 0) >= bodyBytesMax;
  return isTooLarge ? undefined : rows;
};

const listEvents: ListOf<EventOfOrder> = (tx, range, limit) =>
  listOfRange<EventOfOrder>(tx, range, limit, {
    columns: sql`distinct on (account_id, order_id, sequence)
              ${columnsOf('accountId, orderId, sequence, transactionId, status')}`,
    from: sql`events`,
    sort: sql`sequence`,
  });

const listDisputes: ListOf<StoredDispute> = async (tx, range, limit) => {
  const rows = await listOfRange<DisputeRow>(tx, range, limit, {
    columns: disputeColumns,
    from: sql`disputes`,
    sort: sql`provider, dispute_id`,
  });
  return rows?.map(toStoredDispute);
};

/** By their numbers. */
export function listEventsOfOrder(database: Queryable, { accountId, orderId }: OrderKey) {
  return listRows<Omit<EventOfOrder, keyof OrderKey>>(database, [accountId, orderId])`
    select distinct on (sequence) ${columnsOf('sequence, transactionId, status')} from events
     where account_id = $1 and order_id = $2 order by sequence`;
}

/**
 * Undefined when there are more than `limit` rows. Without a limit all rows are read. The limit also makes the planner
 * read along the index: it cannot know how few orders a range has. With a limit of bytes, rows are read up to the one
 * whose body goes beyond it.
 */
async function listOfRange<Row extends AnyRow>(
  tx: Queryable,
  { after, upTo, accountId }: OrderRange,
  limit: number | undefined,
  table: { columns: Sql; from: Sql; sort: Sql; bytesMax?: number },
): Promise<Row[] | undefined> {
  const { columns, from, sort, bytesMax } = table;
  const { condition, values } = conditionOf(orderKey, { after: keyOf(after), accountId });
  const upToKey = keyOf(upTo) ?? [];
  const end = sql`and (account_id, order_id) <= ($${values.length + 1}, $${values.length + 2})`;
  const text = sql`select ${columns} from ${from}
                 where ${condition} ${upTo ? end : sql``} and order_id is not null
                 order by account_id, order_id, ${sort} ${limit === undefined ? sql`` : sql`limit ${limit + 1}`}`;
  const cut = limit === undefined || bytesMax === undefined ? text : cutAtBytes(text, bytesMax);
  const rows = await listRows<Row>(tx, [...values, ...upToKey])`${cut}`;
  return limit !== undefined && rows.length > limit ? undefined : rows;
}

/**
 * The bytes are summed behind the limit, so that a cluster sends no more rows than that to one node. `rows` and not
 * `range`, so that each row adds its own bytes even if two rows sort alike.
 */
function cutAtBytes(text: Sql, bytesMax: number): Sql {
  const sorted = sql`order by "accountId", "orderId", "finishedAt", "deliveryId"`;
  return sql`select * from (
            select page.*, sum(coalesce(octet_length(body), 0)) over (
                     ${sorted} rows unbounded preceding) as bytes
              from (${text}) as page) as summed
           where bytes - coalesce(octet_length(body), 0) < ${bytesMax}
           ${sorted}`;
}
