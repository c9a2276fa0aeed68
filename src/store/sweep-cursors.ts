/** How far the walks of the sweep over a table have come. A cursor outlives its process. */
import type { DeliveryKey } from '../domain/inbox/delivery.ts';
import type { Database, Queryable, Transaction } from '../postgres/database.ts';
import { sql } from '../postgres/sql.ts';
import type { OrderKey } from './order-rows.ts';
import { execute, findRow } from './query.ts';

type SweepCursor = {
  readonly accountId: string;
  /** Of whatever is walked. Its column is named after the first walk, which was over orders. */
  readonly id: string;
  readonly position: number;
  /** What happened until then was visited; undefined for walks that do not follow the time. */
  readonly reachedAt: Date | undefined;
};

const start: SweepCursor = { accountId: '', id: '', position: 0, reachedAt: undefined };

/** With `for update` it ends the race of two sweeps, which would visit the same rows. */
export async function findCursor(database: Queryable, name: string, lock = sql``) {
  type Row = Omit<SweepCursor, 'reachedAt'> & { at: Date | null };
  const row = await findRow<Row>(database, [name])`
    select account_id as "accountId", order_id as id, position, reached_at as at
      from sweep_cursors where name = $1 ${lock}`;
  return row ? { ...row, reachedAt: row.at ?? undefined } : start;
}

/** What was reached stays reached. */
export async function saveCursor(database: Queryable, name: string, cursor: Partial<SweepCursor>) {
  const { accountId, id, position, reachedAt } = { ...start, ...cursor };
  await execute(database, [name, accountId, id, position, reachedAt])`
    insert into sweep_cursors as c (name, account_id, order_id, position, reached_at)
    values ($1, $2, $3, $4, $5)
    on conflict (name) do update set account_id = excluded.account_id,
      order_id = excluded.order_id, position = excluded.position,
      reached_at = greatest(c.reached_at, excluded.reached_at)`;
}

/** A walk over deliveries keeps the last one that it visited; before the first, this one. */
export const firstDelivery: DeliveryKey = { accountId: '', deliveryId: '' };

export async function findDeliveryCursor(database: Queryable, name: string) {
  const { accountId, id } = await findCursor(database, name);
  return { accountId, deliveryId: id };
}

export function saveDeliveryCursor(
  database: Queryable,
  name: string,
  { accountId, deliveryId }: DeliveryKey,
): Promise<void> {
  return saveCursor(database, name, { accountId, id: deliveryId });
}

/** The last row of an order that was visited, in a table whose rows are numbered for each order. */
export type RowCursor = OrderKey & { readonly position: number };

type Sweep<Row> = {
  /** The name of its cursor. */
  readonly name: string;
  readonly limit: number;
  /** At least `limit` rows behind this one, as long as there are so many. */
  readonly listAfter: (tx: Transaction, key: readonly unknown[]) => Promise<readonly Row[]>;
  readonly prune: (tx: Transaction, rows: readonly Row[]) => Promise<void>;
};

/**
 * Visits the next rows from where the last call stopped, and starts over after the last row. An index by age would cost
 * every write. Returns how many rows it visited.
 */
export function sweepRows<Row extends RowCursor>(
  database: Database,
  { name, limit, listAfter, prune }: Sweep<Row>,
): Promise<number> {
  return database.transaction(async (tx) => {
    const { accountId, id, position } = await findCursor(tx, name, sql`for update`);
    const rows = await listAfter(tx, [accountId, id, position]);
    await prune(tx, rows);
    const last = rows.length < limit ? undefined : rows.at(-1);
    await saveCursor(tx, name, last ? { ...last, id: last.orderId } : {});
    return rows.length;
  });
}
