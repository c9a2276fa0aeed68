/** Prunes the history by age, in small batches, with a cursor that survives restarts. */
import type { Database, Transaction } from '../postgres/database.ts';

type Cursor = { readonly account_id: string; readonly order_id: string; readonly position: number };

const firstCursor: Cursor = { account_id: '', order_id: '', position: 0 };

/**
 * Scans the next `limit` rows from where the last call stopped, and starts over after the last row. Returns how many rows
 * it scanned.
 */
export function pruneHistory(
  database: Database,
  happenedBefore: Date,
  limit: number,
): Promise<number> {
  return database.transaction(async (tx) => {
    const cursor = await lockCursor(tx);
    const { rows } = await tx.query<Cursor & { is_old: boolean }>({
      text: `select account_id, order_id, position, happened_at < $4 as is_old from history
              where (account_id, order_id, position) > ($1, $2, $3)
              order by account_id, order_id, position limit $5`,
      values: [cursor.account_id, cursor.order_id, cursor.position, happenedBefore, limit],
    });
    await removeRows(
      tx,
      rows.filter(({ is_old }) => is_old),
    );
    await saveCursor(tx, rows.length < limit ? firstCursor : (rows.at(-1) ?? firstCursor));
    return rows.length;
  });
}

/** The last row of an order stays, without its entries, because new positions continue from it. */
async function removeRows(tx: Transaction, old: readonly Cursor[]): Promise<void> {
  if (old.length === 0) return;
  const values = [
    old.map(({ account_id }) => account_id),
    old.map(({ order_id }) => order_id),
    old.map(({ position }) => position),
  ];
  const isOld = `(h.account_id, h.order_id, h.position) in
                 (select * from unnest($1::text[], $2::text[], $3::integer[]))`;
  await tx.query({
    text: `delete from history h where ${isOld}
              and exists (select from history later
                           where later.account_id = h.account_id and later.order_id = h.order_id
                             and later.position > h.position)`,
    values,
  });
  await tx.query({
    text: `update history h set entries = '[]' where ${isOld} and entries::text <> '[]'`,
    values,
  });
}

/** Ends the race of two sweeps, which would scan the same rows. */
async function lockCursor(tx: Transaction): Promise<Cursor> {
  const { rows } = await tx.query<Cursor>({
    text: `select account_id, order_id, position from sweep_cursors where name = 'history' for update`,
  });
  return rows[0] ?? firstCursor;
}

async function saveCursor(tx: Transaction, cursor: Cursor): Promise<void> {
  await tx.query({
    text: `insert into sweep_cursors (name, account_id, order_id, position)
           values ('history', $1, $2, $3)
           on conflict (name) do update set account_id = excluded.account_id,
             order_id = excluded.order_id, position = excluded.position`,
    values: [cursor.account_id, cursor.order_id, cursor.position],
  });
}
