/** Prunes the history by age, in small batches, with a cursor that survives restarts. */
import type { Database, Transaction } from '../postgres/database.ts';
import {
  columnsOf,
  firstRow,
  lockRowCursor,
  type RowCursor,
  saveRowCursor,
} from './sweep-cursors.ts';

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
    const cursor = await lockRowCursor(tx, 'history');
    const { rows } = await tx.query<RowCursor & { is_old: boolean }>({
      text: `select account_id, order_id, position, happened_at < $4 as is_old from history
              where (account_id, order_id, position) > ($1, $2, $3)
              order by account_id, order_id, position limit $5`,
      values: [cursor.account_id, cursor.order_id, cursor.position, happenedBefore, limit],
    });
    await removeRows(
      tx,
      rows.filter(({ is_old }) => is_old),
    );
    await saveRowCursor(tx, 'history', rows.length < limit ? firstRow : (rows.at(-1) ?? firstRow));
    return rows.length;
  });
}

/** The last row of an order stays, without its entries, because new positions continue from it. */
async function removeRows(tx: Transaction, old: readonly RowCursor[]): Promise<void> {
  if (old.length === 0) return;
  const values = columnsOf(old);
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
