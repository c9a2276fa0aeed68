/** How far the walks of the sweep over a table have come. A cursor outlives its process. */
import type { Database, Queryable, Transaction } from '../postgres/database.ts';

/** The last delivery that was visited. */
export type DeliveryCursor = { readonly accountId: string; readonly deliveryId: string };

export const firstDelivery: DeliveryCursor = { accountId: '', deliveryId: '' };

export async function findDeliveryCursor(
  database: Queryable,
  name: string,
): Promise<DeliveryCursor> {
  // The table has one column for the id of whatever is walked, named after the first walk, which was over orders.
  const { rows } = await database.query<{ account_id: string; order_id: string }>({
    text: 'select account_id, order_id from sweep_cursors where name = $1',
    values: [name],
  });
  const [row] = rows;
  return row ? { accountId: row.account_id, deliveryId: row.order_id } : firstDelivery;
}

export async function saveDeliveryCursor(
  database: Queryable,
  name: string,
  { accountId, deliveryId }: DeliveryCursor,
): Promise<void> {
  await database.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position) values ($1, $2, $3, 0)
           on conflict (name) do update set account_id = excluded.account_id, order_id = excluded.order_id`,
    values: [name, accountId, deliveryId],
  });
}

/** The last row of an order that was visited, in a table whose rows are numbered for each order. */
export type RowCursor = {
  readonly account_id: string;
  readonly order_id: string;
  readonly position: number;
};

const firstRow: RowCursor = { account_id: '', order_id: '', position: 0 };

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
    const cursor = await lockRowCursor(tx, name);
    const rows = await listAfter(tx, [cursor.account_id, cursor.order_id, cursor.position]);
    await prune(tx, rows);
    await saveRowCursor(tx, name, rows.length < limit ? firstRow : (rows.at(-1) ?? firstRow));
    return rows.length;
  });
}

/** Ends the race of two sweeps, which would visit the same rows. */
async function lockRowCursor(tx: Transaction, name: string): Promise<RowCursor> {
  const { rows } = await tx.query<RowCursor>({
    text: 'select account_id, order_id, position from sweep_cursors where name = $1 for update',
    values: [name],
  });
  return rows[0] ?? firstRow;
}

async function saveRowCursor(tx: Transaction, name: string, cursor: RowCursor): Promise<void> {
  await tx.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position)
           values ($1, $2, $3, $4)
           on conflict (name) do update set account_id = excluded.account_id,
             order_id = excluded.order_id, position = excluded.position`,
    values: [name, cursor.account_id, cursor.order_id, cursor.position],
  });
}

/** These rows with the name that `queryPerAccount` groups them by. */
export function ownedBy<Row extends RowCursor>(
  rows: readonly Row[],
): Array<Row & { readonly accountId: string }> {
  return rows.map((row) => ({ ...row, accountId: row.account_id }));
}
