/** Which transactions are to be asked for at their provider, and who asks. Decision 11.7. */
import type { Queryable, Transaction } from './database.ts';

export type DueAsk = { readonly accountId: string; readonly transactionId: string };

type ClaimedRow = { order_id: string; asks: number };

/**
 * Takes the right to ask, and tells the order it belongs to: of several that would ask at once one does,
 * and nobody asks again before `askedBefore`. The next time is set before the answer is known, so that
 * asking goes on should this process end.
 */
export async function claimAsk(
  database: Queryable,
  { accountId, transactionId }: DueAsk,
  {
    now,
    askedBefore,
    nextAskAt,
  }: { now: Date; askedBefore: Date; nextAskAt: (asks: number) => Date | null },
): Promise<string | undefined> {
  const { rows } = await database.query<ClaimedRow>({
    name: 'claim-ask',
    text: `update transactions set asked_at = $3, asks = asks + 1
            where account_id = $1 and transaction_id = $2
              and status not in ('failed', 'succeeded', 'reversed')
              and (asked_at is null or asked_at <= $4)
           returning order_id, asks`,
    values: [accountId, transactionId, now, askedBefore],
  });
  const [claimed] = rows;
  if (!claimed) return undefined;
  await database.query({
    name: 'plan-next-ask',
    text: 'update transactions set next_ask_at = $3 where account_id = $1 and transaction_id = $2',
    values: [accountId, transactionId, nextAskAt(claimed.asks)],
  });
  return claimed.order_id;
}

/** What is due, oldest first. */
export async function listDueAsks(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<DueAsk[]> {
  const { rows } = await database.query<{ account_id: string; transaction_id: string }>({
    text: `select account_id, transaction_id from transactions
            where next_ask_at <= $1 order by next_ask_at limit $2`,
    values: [now, limit],
  });
  return rows.map((row) => ({ accountId: row.account_id, transactionId: row.transaction_id }));
}

/**
 * Takes a refund request id for a refund. False when another refund has it that is not failed; the row
 * is locked until the transaction ends, so a rival waits and is told.
 */
export async function takeRefundRequest(
  tx: Transaction,
  accountId: string,
  refundRequestId: string,
  transactionId: string,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'take-refund-request',
    text: `insert into refund_requests as r (account_id, refund_request_id, transaction_id)
           values ($1, $2, $3)
           on conflict (account_id, refund_request_id) do update
              set transaction_id = excluded.transaction_id
            where exists (select from transactions t
                           where t.account_id = r.account_id
                             and t.transaction_id = r.transaction_id and t.status = 'failed')`,
    values: [accountId, refundRequestId, transactionId],
  });
  return rowCount === 1;
}
