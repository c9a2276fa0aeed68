/**
 * Open orders whose time is over. No index names the status of an order, or every change of it would cost an entry
 * in each of them; so the sweep remembers how far it came along all orders, by the end of their time. Behind that
 * place nothing is open but what came there late, by a clock that was set, or what could not be lapsed: a slow walk
 * through all orders, which never ends, finds those.
 */
import type { Order } from '../domain/orders/order.ts';
import type { Database, Queryable, Transaction } from '../postgres/database.ts';

export type OverdueOrder = Pick<Order, 'accountId' | 'orderId' | 'lapsesAt'>;

type OverdueRow = { account_id: string; order_id: string; lapses_at: Date };

/** Those whose time ended between two moments, oldest first; all orders between them are looked at. */
export async function listOverdueOrders(
  database: Queryable,
  from: Date,
  until: Date,
  limit: number,
): Promise<OverdueOrder[]> {
  const { rows } = await database.query<OverdueRow>({
    // An order that was paid may have another payment that is captured in part, which its time settles too.
    text: `select account_id, order_id, lapses_at from orders o
            where lapses_at >= $1 and lapses_at <= $2
              and (status in ('new', 'pending') or (status = 'completed' and attempts > 1
                and exists (select from transactions t
                             where t.account_id = o.account_id and t.order_id = o.order_id
                               and t.status = 'authorized' and t.fields ? 'partialCapture')))
            order by lapses_at limit $3`,
    values: [from, until, limit],
  });
  return rows.map(toOverdueOrder);
}

/** The first of all where no place was kept; undefined without any. */
export async function findReachedAt(database: Queryable): Promise<Date | undefined> {
  const { rows } = await database.query<{ reached_at: Date | null }>({
    text: `select coalesce((select reached_at from sweep_cursors where name = 'overdue'),
                           (select min(lapses_at) from orders)) as reached_at`,
  });
  return rows[0]?.reached_at ?? undefined;
}

export async function saveReachedAt(database: Queryable, reachedAt: Date): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position, reached_at)
           values ('overdue', '', '', 0, $1)
           on conflict (name) do update set reached_at = excluded.reached_at`,
    values: [reachedAt],
  });
}

/** Goes on through all orders from where the last walk stopped, and begins anew after the end. */
export function walkToOverdueOrders(
  database: Database,
  now: Date,
  limit: number,
): Promise<OverdueOrder[]> {
  return database.transaction(async (tx) => {
    const place = await lockPlace(tx);
    const { rows } = await tx.query<OverdueRow & { is_overdue: boolean; nth: number }>({
      text: `select * from (
               select account_id, order_id, lapses_at, row_number() over () as nth,
                      status in ('new', 'pending') and lapses_at <= $3 as is_overdue
                 from (select account_id, order_id, lapses_at, status from orders
                        where (account_id, order_id) > ($1, $2)
                        order by account_id, order_id limit $4) next) looked_at
              where is_overdue or nth = $4`,
      values: [place.account_id, place.order_id, now, limit],
    });
    const last = rows.find(({ nth }) => nth === limit);
    await savePlace(tx, last ?? beginning);
    return rows.filter(({ is_overdue }) => is_overdue).map(toOverdueOrder);
  });
}

type Place = Pick<OverdueRow, 'account_id' | 'order_id'>;

const beginning: Place = { account_id: '', order_id: '' };

/** Two walks at once would look at the same orders. */
async function lockPlace(tx: Transaction): Promise<Place> {
  const { rows } = await tx.query<Place>({
    text: `select account_id, order_id from sweep_cursors where name = 'overdue' for update`,
  });
  return rows[0] ?? beginning;
}

async function savePlace(tx: Transaction, { account_id, order_id }: Place): Promise<void> {
  await tx.query({
    text: `update sweep_cursors set account_id = $1, order_id = $2 where name = 'overdue'`,
    values: [account_id, order_id],
  });
}

function toOverdueOrder(row: OverdueRow): OverdueOrder {
  return { accountId: row.account_id, orderId: row.order_id, lapsesAt: row.lapses_at };
}
