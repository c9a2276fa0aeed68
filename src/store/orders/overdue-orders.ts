/**
 * Finds open orders that are past their `lapses_at`. No index contains the status of an order, so that a status change
 * writes no index entries; the sweep instead stores up to which `lapses_at` it has lapsed orders. Open orders behind that
 * time are rare (the clock was set, or an order could not be lapsed), and a slow, endless scan of all orders finds them.
 */
import type { Order } from '../../domain/orders/order.ts';
import type { Database, Queryable, Transaction } from '../../postgres/database.ts';
import { queryPerAccount } from '../per-account.ts';

export type OverdueOrder = Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>;

type OverdueRow = { account_id: string; order_id: string; lapses_at: Date };

/** Orders to lapse with `lapses_at` in the given range, oldest first. Reads every order of the range. */
export async function listOverdueOrders(
  database: Database,
  from: Date,
  until: Date,
  limit: number,
): Promise<OverdueOrder[]> {
  const open = await database.query<OverdueRow>({
    text: `select account_id, order_id, lapses_at from orders
            where lapses_at >= $1 and lapses_at <= $2 and status in ('new', 'pending')
            order by lapses_at limit $3`,
    values: [from, until, limit],
  });
  const isFull = open.rows.length === limit;
  const end = isFull ? (open.rows.at(-1)?.lapses_at ?? until) : until;
  const paid = await listPartlyCaptured(database, from, end);
  return [...open.rows.map(toOverdueOrder), ...paid]
    .sort((a, b) => a.lapsesAt.getTime() - b.lapsesAt.getTime())
    .slice(0, limit);
}

/** A paid order may have a second payment that is captured in part; lapsing settles that payment too. */
async function listPartlyCaptured(
  database: Database,
  from: Date,
  until: Date,
): Promise<OverdueOrder[]> {
  const paid: OverdueOrder[] = [];
  for (let isLast = false; !isLast; ) {
    const page = await listPaidAgain(database, paid.at(-1) ?? beforeAll(from), until);
    paid.push(...page);
    isLast = page.length < paidPageSize;
  }
  const partly = await database.pipelined((connection) =>
    queryPerAccount<{ order_id: string }, OverdueOrder>(connection, paid, (accountId, own) => ({
      name: 'list-partly-captured',
      text: `select distinct order_id from transactions
              where account_id = $1 and order_id = any($2::text[])
                and status = 'authorized' and fields ? 'partialCapture'`,
      values: [accountId, own.map(({ orderId }) => orderId)],
    })),
  );
  const ids = new Set(partly.map(({ order_id }) => order_id));
  return paid.filter(({ orderId }) => ids.has(orderId));
}

const paidPageSize = 5_000;

function beforeAll(lapsesAt: Date): OverdueOrder {
  return { accountId: '', orderId: '', lapsesAt };
}

/** A page of the paid orders with several payments, behind the given one. */
async function listPaidAgain(
  database: Queryable,
  { lapsesAt, accountId, orderId }: OverdueOrder,
  until: Date,
): Promise<OverdueOrder[]> {
  const { rows } = await database.query<OverdueRow>({
    text: `select account_id, order_id, lapses_at from orders
            where lapses_at >= $1 and lapses_at <= $2 and status = 'completed' and attempts > 1
              and (lapses_at, account_id, order_id) > ($1, $3, $4)
            order by lapses_at, account_id, order_id limit ${paidPageSize}`,
    values: [lapsesAt, until, accountId, orderId],
  });
  return rows.map(toOverdueOrder);
}

/** The `lapses_at` of the order that follows after `limit` others; undefined if there are fewer. */
export async function findWindowEnd(
  database: Queryable,
  from: Date,
  limit: number,
): Promise<Date | undefined> {
  const { rows } = await database.query<{ lapses_at: Date }>({
    text: `select lapses_at from orders where lapses_at >= $1
            order by lapses_at offset $2 limit 1`,
    values: [from, limit],
  });
  return rows[0]?.lapses_at;
}

/** Up to which `lapses_at` orders were lapsed. Without a cursor the earliest of all; undefined without orders. */
export async function findReachedAt(database: Queryable): Promise<Date | undefined> {
  const cursors = await database.query<{ reached_at: Date | null }>({
    text: `select reached_at from sweep_cursors where name = 'overdue'`,
  });
  const reachedAt = cursors.rows[0]?.reached_at;
  if (reachedAt) return reachedAt;
  const { rows } = await database.query<{ earliest: Date | null }>({
    text: 'select min(lapses_at) as earliest from orders',
  });
  return rows[0]?.earliest ?? undefined;
}

export async function saveReachedAt(database: Queryable, reachedAt: Date): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position, reached_at)
           values ('overdue', '', '', 0, $1)
           on conflict (name) do update set reached_at = excluded.reached_at`,
    values: [reachedAt],
  });
}

/** Scans the next `limit` orders by key from where the last scan stopped, and starts over after the last order. */
export function scanForOverdueOrders(
  database: Database,
  now: Date,
  limit: number,
): Promise<OverdueOrder[]> {
  return database.transaction(async (tx) => {
    const cursor = await lockCursor(tx);
    const { rows } = await tx.query<OverdueRow & { is_overdue: boolean; nth: number }>({
      text: `select * from (
               select account_id, order_id, lapses_at, row_number() over () as nth,
                      status in ('new', 'pending') and lapses_at <= $3 as is_overdue
                 from (select account_id, order_id, lapses_at, status from orders
                        where (account_id, order_id) > ($1, $2)
                        order by account_id, order_id limit $4) next) scanned
              where is_overdue or nth = $4`,
      values: [cursor.account_id, cursor.order_id, now, limit],
    });
    const last = rows.find(({ nth }) => nth === limit);
    await saveCursor(tx, last ?? firstCursor);
    return rows.filter(({ is_overdue }) => is_overdue).map(toOverdueOrder);
  });
}

type Cursor = Pick<OverdueRow, 'account_id' | 'order_id'>;

const firstCursor: Cursor = { account_id: '', order_id: '' };

/** Ends the race of two sweeps, which would scan the same orders. */
async function lockCursor(tx: Transaction): Promise<Cursor> {
  const { rows } = await tx.query<Cursor>({
    text: `select account_id, order_id from sweep_cursors where name = 'overdue' for update`,
  });
  return rows[0] ?? firstCursor;
}

async function saveCursor(tx: Transaction, { account_id, order_id }: Cursor): Promise<void> {
  await tx.query({
    text: `update sweep_cursors set account_id = $1, order_id = $2 where name = 'overdue'`,
    values: [account_id, order_id],
  });
}

function toOverdueOrder(row: OverdueRow): OverdueOrder {
  return { accountId: row.account_id, orderId: row.order_id, lapsesAt: row.lapses_at };
}
