/** Prunes the history by age, in small batches, with a cursor that survives restarts. */
import type { Database, Transaction } from '../../postgres/database.ts';
import { defineAccountRows, queryPerAccount } from '../per-account.ts';
import { listRows } from '../query.ts';
import { ownedBy, type RowCursor, sweepRows } from '../sweep-cursors.ts';

type HistoryRow = RowCursor & { readonly is_old: boolean };

/** Visits the next rows, about `limit` of them, and returns how many they were. */
export function pruneHistory(database: Database, happenedBefore: Date, limit: number) {
  return sweepRows<HistoryRow>(database, {
    name: 'history',
    limit,
    listAfter: async (tx, key) => {
      return listRows<HistoryRow>(tx, [...key, happenedBefore, limit])`
        select account_id, order_id, position, happened_at < $4 as is_old from history
         where (account_id, order_id, position) > ($1, $2, $3)
         order by account_id, order_id, position limit $5`;
    },
    prune: removeRows,
  });
}

const oldRows = defineAccountRows<HistoryRow>(
  { integer: ['position'] },
  {
    order_id: ['text', ({ order_id }) => order_id],
  },
);

/** The last row of an order stays, without its entries, because new positions continue from it. */
async function removeRows(tx: Transaction, rows: readonly HistoryRow[]) {
  const old = ownedBy(rows.filter(({ is_old }) => is_old));
  const isOld = `h.account_id = $1
     and (h.order_id, h.position) in (select row.order_id, row.position from ${oldRows.from})`;
  await queryPerAccount(tx, old, (accountId, own) => ({
    name: 'delete-old-history',
    text: `delete from history h where ${isOld}
              and exists (select from history later
                           where later.account_id = $1 and later.order_id = h.order_id
                             and later.position > h.position)`,
    values: oldRows.toParameters(accountId, own),
  }));
  await queryPerAccount(tx, old, (accountId, own) => ({
    name: 'empty-old-history',
    text: `update history h set entries = '[]' where ${isOld} and entries::text <> '[]'`,
    values: oldRows.toParameters(accountId, own),
  }));
}
