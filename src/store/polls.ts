/** When the provider of a transaction is polled, and which process does it. Contract 11.7. */
import type { ProviderName } from '../domain/provider-name.ts';
import type { Queryable } from '../postgres/database.ts';
import { hasId } from './transactions.ts';

export type DuePoll = { readonly accountId: string; readonly transactionId: string };

export type PollTimes = {
  readonly now: Date;
  /** A transaction that was polled after this is not polled again yet. */
  readonly polledBefore: Date;
  /** Seconds until the next poll, by the number of polls so far; the last value repeats. */
  readonly intervalSeconds: readonly number[];
  readonly pollsMax: number;
};

/**
 * Ends the race of several processes to poll one transaction: one gets the order id, the others undefined. The next poll
 * is scheduled before the provider answers, so that polling continues if this process ends.
 */
export async function claimPoll(
  database: Queryable,
  { accountId, transactionId }: DuePoll,
  { now, polledBefore, intervalSeconds, pollsMax }: PollTimes,
): Promise<{ readonly orderId: string; readonly nextPollAt: Date | null } | undefined> {
  const { rows } = await database.query<{ order_id: string; next_poll_at: Date | null }>({
    name: 'claim-poll',
    text: `update transactions t
              set polled_at = $3, polls = polls + 1,
                  next_poll_at = case when polls + 1 < $6 then $3::timestamptz + interval '1 second'
                    * ($5::double precision[])[least(polls + 1, array_length($5, 1))] end
            where account_id = $1 and ${hasId('$2::text')} and ${isOpen}
              and (polled_at is null or polled_at <= $4)
           returning order_id, next_poll_at`,
    values: [accountId, transactionId, now, polledBefore, intervalSeconds, pollsMax],
  });
  return rows[0] && { orderId: rows[0].order_id, nextPollAt: rows[0].next_poll_at };
}

/** The same for an enquiry, which polls too. It does not count against `pollsMax` and leaves the schedule alone. */
export async function claimPollOfEnquiry(
  database: Queryable,
  { accountId, transactionId }: DuePoll,
  { now, polledBefore }: Pick<PollTimes, 'now' | 'polledBefore'>,
): Promise<string | undefined> {
  const { rows } = await database.query<{ order_id: string }>({
    name: 'claim-poll-of-enquiry',
    text: `update transactions t set polled_at = $3
            where account_id = $1 and ${hasId('$2::text')} and ${isOpen}
              and (polled_at is null or polled_at <= $4)
           returning order_id`,
    values: [accountId, transactionId, now, polledBefore],
  });
  return rows[0]?.order_id;
}

/** Not final, or final for now: a payment that may still be retried or captured further has a next poll. */
const isOpen = `(status not in ('failed', 'succeeded', 'reversed') or next_poll_at is not null)`;

/** Null ends polling. A transaction that became final in the meantime is left alone. */
export async function setNextPoll(
  database: Queryable,
  { accountId, transactionId }: DuePoll,
  nextPollAt: Date | null,
): Promise<void> {
  await database.query({
    text: `update transactions t set next_poll_at = $3
            where account_id = $1 and ${hasId('$2::text')} and ${isOpen}`,
    values: [accountId, transactionId, nextPollAt],
  });
}

/** Oldest first. */
export async function listDuePolls(
  database: Queryable,
  now: Date,
  limit: number,
): Promise<Array<DuePoll & { readonly provider: ProviderName }>> {
  const { rows } = await database.query<{
    account_id: string;
    transaction_id: string;
    provider: ProviderName;
  }>({
    text: `select account_id, transaction_id, provider from transactions
            where next_poll_at <= $1 order by next_poll_at limit $2`,
    values: [now, limit],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    transactionId: row.transaction_id,
    provider: row.provider,
  }));
}
