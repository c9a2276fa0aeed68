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

export type ClaimedPoll = DuePoll & {
  readonly orderId: string;
  /** Null after the last scheduled poll. */
  readonly nextPollAt: Date | null;
};

export type PollsToClaim = {
  readonly limit: number;
  /** Accounts that are left out. Their rows are read all the same. */
  readonly except: readonly string[];
  /** Only polls that fell due in this range. */
  readonly from?: Date;
  readonly until?: Date;
};

/** No poll fell due before this. */
export const earliest = new Date(0);

/**
 * Claims due polls of one provider, oldest first. Ends the race of several processes: each row is claimed by one of them.
 * The next poll is scheduled before the provider answers, so that polling continues if this process ends.
 */
export async function claimDuePolls(
  database: Queryable,
  provider: ProviderName,
  { now, polledBefore, intervalSeconds, pollsMax }: PollTimes,
  { limit, except, from = earliest, until = now }: PollsToClaim,
): Promise<ClaimedPoll[]> {
  const { rows } = await database.query<ClaimedRow>({
    name: 'claim-due-polls',
    text: `with due as (
             select account_id, order_id, transaction_id from transactions
              where provider = $1 and next_poll_at >= $8 and next_poll_at <= $9
                and account_id <> all ($7::text[])
                and (polled_at is null or polled_at <= $3)
              order by next_poll_at limit $6
                for update skip locked)
           update transactions t
              set polled_at = $2, polls = polls + 1,
                  next_poll_at = case when polls + 1 < $5 then $2::timestamptz + interval '1 second'
                    * ($4::double precision[])[least(polls + 1, array_length($4, 1))] end
             from due
            where t.account_id = due.account_id and t.order_id = due.order_id
              and t.transaction_id = due.transaction_id
           returning t.account_id, t.order_id, t.transaction_id, t.next_poll_at`,
    values: [provider, now, polledBefore, intervalSeconds, pollsMax, limit, except, from, until],
  });
  return rows.map((row) => ({
    accountId: row.account_id,
    orderId: row.order_id,
    transactionId: row.transaction_id,
    nextPollAt: row.next_poll_at,
  }));
}

type ClaimedRow = {
  account_id: string;
  order_id: string;
  transaction_id: string;
  next_poll_at: Date | null;
};

/** When the poll fell due that follows after `limit` others; undefined if fewer are due. */
export async function findDueAfter(
  database: Queryable,
  provider: ProviderName,
  { from, now, limit }: { readonly from: Date; readonly now: Date; readonly limit: number },
): Promise<Date | undefined> {
  const { rows } = await database.query<{ next_poll_at: Date }>({
    name: 'find-due-after',
    text: `select next_poll_at from transactions
            where provider = $1 and next_poll_at >= $2 and next_poll_at <= $3
            order by next_poll_at offset $4 limit 1`,
    values: [provider, from, now, limit],
  });
  return rows[0]?.next_poll_at;
}

/** Claims a poll for an enquiry. It does not count against `pollsMax` and leaves the schedule alone. */
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
