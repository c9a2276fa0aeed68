/** Prunes the history by age, in small batches, with a cursor that survives restarts. */
import type { Database, Transaction } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { defineAccountRows } from '../per-account.ts';
import { listRows } from '../query.ts';
import { type RowCursor, sweepRows } from '../sweep-cursors.ts';

type HistoryRow = RowCursor & { readonly isOld: boolean };

/** Visits the next rows, about `limit` of them, and returns how many they were. */
export function pruneHistory(database: Database, happenedBefore: Date, limit: number) {
  return sweepRows<HistoryRow>(database, {
    name: 'history',
    limit,
    listAfter: (tx, key) => listRows<HistoryRow>(tx, [...key, happenedBefore, limit])`
      select ${columnsOf('accountId, orderId, position')}, happened_at < $4 as "isOld" from history
       where (account_id, order_id, position) > ($1, $2, $3)
       order by account_id, order_id, position limit $5`,
    prune: removeRows,
  });
}

const oldRows = defineAccountRows<HistoryRow>({ text: ['orderId'], integer: ['position'] });

const isOld = sql`h.account_id = $1
     and (h.order_id, h.position) in (select row.order_id, row.position from ${oldRows.from})`;

/** The last row of an order stays, without its entries, because new positions continue from it. */
async function removeRows(tx: Transaction, rows: readonly HistoryRow[]) {
  const old = rows.filter((row) => row.isOld);
  await oldRows.query(tx, old, 'delete-old-history')`
    delete from history h where ${isOld}
       and exists (select from history later
                    where later.account_id = $1 and later.order_id = h.order_id
                      and later.position > h.position)`;
  await oldRows.query(tx, old, 'empty-old-history')`
    update history h set entries = '[]' where ${isOld} and entries::text <> '[]'`;
}
