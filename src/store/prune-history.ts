/** Prunes the history by age, in small batches, with a cursor that survives restarts. */
import type { Database, Transaction } from '../postgres/database.ts';
import { columnsOf, type RowCursor, sweepRows } from './sweep-cursors.ts';

type HistoryRow = RowCursor & { readonly is_old: boolean };

/** Visits the next rows, about `limit` of them, and returns how many they were. */
export function pruneHistory(
  database: Database,
  happenedBefore: Date,
  limit: number,
): Promise<number> {
  return sweepRows<HistoryRow>(database, {
    name: 'history',
    limit,
    listAfter: async (tx, key) => {
      const { rows } = await tx.query<HistoryRow>({
        text: `select account_id, order_id, position, happened_at < $4 as is_old from history
                where (account_id, order_id, position) > ($1, $2, $3)
                order by account_id, order_id, position limit $5`,
        values: [...key, happenedBefore, limit],
      });
      return rows;
    },
    prune: removeRows,
  });
}

/** The last row of an order stays, without its entries, because new positions continue from it. */
async function removeRows(tx: Transaction, rows: readonly HistoryRow[]): Promise<void> {
  const old = rows.filter(({ is_old }) => is_old);
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
