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

/** The order must be locked: positions are counted. */
export async function appendHistory(
  tx: Transaction,
  accountId: string,
  orderId: string,
  entries: readonly HistoryEntry[],
): Promise<void> {
  for (const { transactionId, changes, cause, happenedAt, call } of entries) {
    await tx.query({
      name: 'append-history',
      text: `insert into history (
               account_id, order_id, position, transaction_id, changes, cause, happened_at, call)
             select $1, $2, coalesce(max(position), 0) + 1, $3, $4, $5, $6, $7
               from history where account_id = $1 and order_id = $2`,
      values: [
        accountId,
        orderId,
        transactionId,
        JSON.stringify(changes),
        cause,
        happenedAt,
        call ? JSON.stringify(call) : null,
      ],
    });
  }
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
