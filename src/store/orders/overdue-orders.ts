/**
 * Finds open orders that are past their `lapses_at`. No index contains the status of an order, so that a status change
 * writes no index entries; the sweep instead stores up to which `lapses_at` it has lapsed orders. Open orders behind that
 * time are rare (the clock was set, or an order could not be lapsed), and a slow, endless scan of all orders finds them.
 */
import type { Order } from '../../domain/orders/order.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { orderIds } from '../order-rows.ts';
import { execute, findValue, listRows } from '../query.ts';
import { findCursor } from '../sweep-cursors.ts';

/** Of its row in `sweep_cursors`. */
const name = 'overdue';

export type OverdueOrder = Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>;

const columns = columnsOf('accountId, orderId, lapsesAt');

/** Orders to lapse with `lapses_at` in the given range, oldest first. Reads every order of the range. */
export async function listOverdueOrders(
  database: Database,
  from: Date,
  until: Date,
  limit: number,
): Promise<OverdueOrder[]> {
  const open = await listRows<OverdueOrder>(database, [from, until, limit])`
    select ${columns} from orders
     where lapses_at >= $1 and lapses_at <= $2 and status in ('new', 'pending')
     order by lapses_at limit $3`;
  const isFull = open.length === limit;
  const end = isFull ? (open.at(-1)?.lapsesAt ?? until) : until;
  const paid = await listPartlyCaptured(database, from, end);
  return [...open, ...paid]
    .sort((a, b) => a.lapsesAt.getTime() - b.lapsesAt.getTime())
    .slice(0, limit);
}

/** A paid order may have a second payment that is captured in part; lapsing settles that payment too. */
async function listPartlyCaptured(database: Database, from: Date, until: Date) {
  const paid: OverdueOrder[] = [];
  for (let isLast = false; !isLast; ) {
    const page = await listPaidAgain(database, paid.at(-1) ?? beforeAll(from), until);
    paid.push(...page);
    isLast = page.length < paidPageSize;
  }
  const partly = await database.pipelined(
    (connection) =>
      orderIds.query<{ order_id: string }>(connection, paid, 'list-partly-captured')`
      select distinct order_id from transactions
       where account_id = $1 and order_id = any($2::text[])
         and status = 'authorized' and fields ? 'partialCapture'`,
  );
  const ids = new Set(partly.map(({ order_id }) => order_id));
  return paid.filter(({ orderId }) => ids.has(orderId));
}

const paidPageSize = 5_000;

function beforeAll(lapsesAt: Date): OverdueOrder {
  return { accountId: '', orderId: '', lapsesAt };
}

/** A page of the paid orders with several payments, behind the given one. */
function listPaidAgain(
  database: Queryable,
  { lapsesAt, accountId, orderId }: OverdueOrder,
  until: Date,
) {
  return listRows<OverdueOrder>(database, [lapsesAt, until, accountId, orderId])`
    select ${columns} from orders
     where lapses_at >= $1 and lapses_at <= $2 and status = 'completed' and attempts > 1
       and (lapses_at, account_id, order_id) > ($1, $3, $4)
     order by lapses_at, account_id, order_id limit ${paidPageSize}`;
}

/** The `lapses_at` of the order that follows after `limit` others; undefined if there are fewer. */
export function findWindowEnd(database: Queryable, from: Date, limit: number) {
  return findValue<Date>(database, [from, limit])`
    select lapses_at from orders where lapses_at >= $1
     order by lapses_at offset $2 limit 1`;
}

/** Up to which `lapses_at` orders were lapsed. Without a cursor the earliest of all; undefined without orders. */
export async function findReachedAt(database: Queryable): Promise<Date | undefined> {
  const { reachedAt } = await findCursor(database, name);
  if (reachedAt) return reachedAt;
  return (await findValue<Date | null>(database)`select min(lapses_at) from orders`) ?? undefined;
}

/** Not by `saveCursor`: the time may go back, and the scan of all orders has its cursor in the same row. */
export async function saveReachedAt(database: Queryable, reachedAt: Date) {
  await execute(database, [name, reachedAt])`
    insert into sweep_cursors (name, account_id, order_id, position, reached_at)
    values ($1, '', '', 0, $2)
    on conflict (name) do update set reached_at = excluded.reached_at`;
}

/** Scans the next `limit` orders by key from where the last scan stopped, and starts over after the last order. */
export function scanForOverdueOrders(database: Database, now: Date, limit: number) {
  return database.transaction(async (tx) => {
    const cursor = await findCursor(tx, name, sql`for update`);
    const values = [cursor.accountId, cursor.id, now, limit];
    const rows = await listRows<OverdueOrder & { isOverdue: boolean; nth: number }>(tx, values)`
      select * from (
        select ${columns}, row_number() over () as nth,
               status in ('new', 'pending') and lapses_at <= $3 as "isOverdue"
          from (select account_id, order_id, lapses_at, status from orders
                 where (account_id, order_id) > ($1, $2)
                 order by account_id, order_id limit $4) next) scanned
       where "isOverdue" or nth = $4`;
    const last = rows.find(({ nth }) => nth === limit);
    await execute(tx, [name, last?.accountId ?? '', last?.orderId ?? ''])`
      update sweep_cursors set account_id = $2, order_id = $3 where name = $1`;
    return rows
      .filter(({ isOverdue }) => isOverdue)
      .map(({ accountId, orderId, lapsesAt }) => ({ accountId, orderId, lapsesAt }));
  });
}
