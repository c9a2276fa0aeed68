/** Which transactions are to be asked for at their provider, and who asks. Decision 11.7. */
import type { ProviderName } from '../domain/notice.ts';
import type { Queryable } from './database.ts';
import { hasId } from './transactions.ts';

export type DueAsk = { readonly accountId: string; readonly transactionId: string };

export type AskTimes = {
  readonly now: Date;
  /** Nobody asks who was answered after this. */
  readonly askedBefore: Date;
  /** Seconds until the next question, by how many there were; the last one repeats. */
  readonly intervalSeconds: readonly number[];
  readonly asksMax: number;
};

/**
 * Takes the right to ask, and tells the order it belongs to: of several that would ask at once one does.
 * The next time is set before the answer is known, so that asking goes on should this process end.
 */
export async function claimAsk(
  database: Queryable,
  { accountId, transactionId }: DueAsk,
  { now, askedBefore, intervalSeconds, asksMax }: AskTimes,
): Promise<{ readonly orderId: string; readonly nextAskAt: Date | null } | undefined> {
  const { rows } = await database.query<{ order_id: string; next_ask_at: Date | null }>({
    name: 'claim-ask',
    text: `update transactions t
              set asked_at = $3, asks = asks + 1,
                  next_ask_at = case when asks + 1 < $6 then $3::timestamptz + interval '1 second'
                    * ($5::double precision[])[least(asks + 1, array_length($5, 1))] end
            where account_id = $1 and ${hasId('$2::text')} and ${isOpen}
              and (asked_at is null or asked_at <= $4)
           returning order_id, next_ask_at`,
    values: [accountId, transactionId, now, askedBefore, intervalSeconds, asksMax],
  });
  return rows[0] && { orderId: rows[0].order_id, nextAskAt: rows[0].next_ask_at };
}

/** An enquiry asks too, and takes nothing from the background's own questions. */
export async function claimAskOfEnquiry(
  database: Queryable,
  { accountId, transactionId }: DueAsk,
  { now, askedBefore }: Pick<AskTimes, 'now' | 'askedBefore'>,
): Promise<string | undefined> {
  const { rows } = await database.query<{ order_id: string }>({
    name: 'claim-ask-of-enquiry',
    text: `update transactions t set asked_at = $3
            where account_id = $1 and ${hasId('$2::text')} and ${isOpen}
              and (asked_at is null or asked_at <= $4)
           returning order_id`,
    values: [accountId, transactionId, now, askedBefore],
  });
  return rows[0]?.order_id;
}

/** A payment that may still be tried again, or captured further, has a next time. */
const isOpen = `(status not in ('failed', 'succeeded', 'reversed') or next_ask_at is not null)`;

/** Null when nothing more will come of it. What is done meanwhile is not asked for again. */
export async function setNextAsk(
  database: Queryable,
  { accountId, transactionId }: DueAsk,
  nextAskAt: Date | null,
): Promise<void> {
  await database.query({
    text: `update transactions t set next_ask_at = $3
            where account_id = $1 and ${hasId('$2::text')} and ${isOpen}`,
    values: [accountId, transactionId, nextAskAt],
  });
}

/** What is due, oldest first. */
export async function listDueAsks(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<Array<DueAsk & { readonly provider: ProviderName }>> {
  const { rows } = await database.query<{
    account_id: string;
    transaction_id: string;
    provider: ProviderName;
  }>({
    text: `select account_id, transaction_id, provider from transactions
            where next_ask_at <= $1 order by next_ask_at limit $2`,
    values: [now, limit],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    transactionId: row.transaction_id,
    provider: row.provider,
  }));
}
