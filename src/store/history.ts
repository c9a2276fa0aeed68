/** The append-only history of orders and their transactions. Decision 4.7. */
import type { Change } from '../domain/history.ts';
import type { Queryable, Transaction } from './database.ts';

export type HistoryEntry = {
  /** Null for a change of the order itself. */
  readonly transactionId: string | null;
  readonly changes: readonly Change[];
  /** The delivery or call that brought it. */
  readonly cause: string;
  readonly happenedAt: Date;
  readonly call?: CallRecord | null;
};

/** A call to a provider, without anything it carried. */
export type CallRecord = {
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly tries: number;
  readonly httpStatus: number | null;
};

type OrderName = { readonly accountId: string; readonly orderId: string };

/** The orders must be locked: positions are counted on from what is there. */
export async function appendHistory(
  tx: Transaction,
  appended: ReadonlyArray<{ readonly order: OrderName; readonly entries: readonly HistoryEntry[] }>,
): Promise<void> {
  const rows = appended.flatMap(({ order, entries }) =>
    entries.map((entry, index) => toRow(order, entry, index + 1)),
  );
  if (rows.length === 0) return;
  await tx.query({
    name: 'append-history',
    text: `insert into history (
             account_id, order_id, position, transaction_id, changes, cause, happened_at, call)
           select account_id, order_id,
             place + (select coalesce(max(position), 0) from history h
                       where h.account_id = row.account_id and h.order_id = row.order_id),
             transaction_id, changes, cause, happened_at, call
             from json_to_recordset($1::json) as row (
               account_id text, order_id text, place integer, transaction_id text,
               changes jsonb, cause text, happened_at timestamptz, call jsonb)`,
    values: [JSON.stringify(rows)],
  });
}

function toRow({ accountId, orderId }: OrderName, entry: HistoryEntry, place: number) {
  return {
    account_id: accountId,
    order_id: orderId,
    place,
    transaction_id: entry.transactionId,
    changes: entry.changes,
    cause: entry.cause,
    happened_at: entry.happenedAt,
    call: entry.call,
  };
}

export async function listHistory(
  database: Queryable,
  accountId: string,
  orderId: string,
): Promise<HistoryEntry[]> {
  const { rows } = await database.query<{
    transaction_id: string | null;
    changes: Change[];
    cause: string;
    happened_at: Date;
    call: CallRecord | null;
  }>({
    text: `select transaction_id, changes, cause, happened_at, call from history
            where account_id = $1 and order_id = $2 order by position`,
    values: [accountId, orderId],
  });
  return rows.map((row) => ({
    transactionId: row.transaction_id,
    changes: row.changes,
    cause: row.cause,
    happenedAt: row.happened_at,
    call: row.call,
  }));
}
