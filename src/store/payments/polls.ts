/** When the provider of a transaction is polled, and which process does it. Contract 11.7. */
import type { ProviderName } from '../../domain/provider-name.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Database, Queryable } from '../../postgres/database.ts';
import { columnsOf, sql } from '../../postgres/sql.ts';
import { accountOf, defineAccountRows } from '../per-account.ts';
import { execute, findValue, listRows } from '../query.ts';
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

type PollsToClaim = {
  readonly limit: number;
  /** Accounts that are left out. Their rows are read all the same. */
  readonly except: readonly string[];
  /** Only polls that fell due in this range. */
  readonly from?: Date;
  readonly until?: Date;
};

export type ClaimedPolls = {
  readonly claimed: readonly ClaimedPoll[];
  /** There may be more in the range. */
  readonly hasMore: boolean;
};

/** No poll fell due before this. */
export const earliest = new Date(0);

/** Bounds how far a claim reads past the rows that others are claiming. */
const triesMax = 8;

/**
 * Claims due polls of one provider, about the oldest first. Ends the race of several processes: each row is claimed by
 * one of them. A process that finds the oldest rows taken continues behind them, so that several do not wait for each
 * other.
 */
export async function claimDuePolls(
  database: Database,
  provider: ProviderName,
  times: PollTimes,
  { limit, ...range }: PollsToClaim,
): Promise<ClaimedPolls> {
  const claimed: ClaimedPoll[] = [];
  for (let tries = 0; tries < triesMax; tries += 1) {
    const page = { offset: tries * limit, limit };
    const due = await listDuePolls(database, provider, times, range, page);
    claimed.push(...(await claimPolls(database, due.slice(0, limit - claimed.length), times)));
    if (due.length < limit) return { claimed, hasMore: false };
    if (claimed.length === limit) break;
  }
  // If no row could be claimed, all are locked by others, and asking again at once would find the same.
  return { claimed, hasMore: claimed.length > 0 };
}

type ListedPoll = DuePoll & { readonly orderId: string; readonly polls: number };

/** Reads one table and locks nothing, because the rows belong to many accounts. Contract 10.4. */
function listDuePolls(
  database: Queryable,
  provider: ProviderName,
  { now, polledBefore }: PollTimes,
  { except, from = earliest, until = now }: Omit<PollsToClaim, 'limit'>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
) {
  const values = [provider, from, until, except, polledBefore];
  // Numbers in the text: a plan that is kept for any offset and limit may sort all due rows.
  return listRows<ListedPoll>(database, values, `list-due-polls-${offset}-${limit}`)`
    select ${columnsOf('accountId, orderId, transactionId, polls')} from transactions
     where provider = $1 and next_poll_at >= $2 and next_poll_at <= $3
       and account_id <> all ($4::text[])
       and (polled_at is null or polled_at <= $5)
     order by next_poll_at offset ${offset} limit ${limit}`;
}

type PlannedPoll = ClaimedPoll &
  Pick<PollTimes, 'now' | 'polledBefore'> & { readonly polls: number };

const claimRows = defineAccountRows<PlannedPoll>(
  {
    text: ['orderId', 'transactionId'],
    integer: ['polls'],
    timestamptz: ['nextPollAt', 'polledBefore'],
  },
  {
    // The same in every row. As parameters of their own they would let the planner read all due polls first.
    due_at: ['timestamptz', ({ now }) => now],
  },
);

/**
 * One statement. The number of polls is that of the list: a row that
 * another process has claimed since has a higher one. Rows that are locked are skipped. The next poll is scheduled
 * before the provider answers, so that polling continues if this process ends.
 */
async function claimPolls(database: Database, due: readonly ListedPoll[], times: PollTimes) {
  if (due.length === 0) return [];
  const { now, polledBefore } = times;
  const planned = due.map((poll) => ({
    ...poll,
    nextPollAt: nextPollAt(poll, times),
    now,
    polledBefore,
  }));
  let claimed: Promise<ClaimedPoll[]> | undefined;
  await database.transaction(async (tx) => {
    claimed = claimRows.query<ClaimedPoll>(tx, planned, 'claim-due-polls')`
      with due as (
          select t.account_id, t.order_id, t.transaction_id, row.next_poll_at, row.due_at
            from ${claimRows.from}
            join transactions t
              on t.account_id = ${accountOf('row')} and t.order_id = row.order_id
             and t.transaction_id = row.transaction_id and t.polls = row.polls
             and t.next_poll_at <= row.due_at
             and (t.polled_at is null or t.polled_at <= row.polled_before)
             for update of t skip locked)
        update transactions t
           set polled_at = due.due_at, polls = t.polls + 1, next_poll_at = due.next_poll_at
          from due
         where t.account_id = ${accountOf('due')} and t.order_id = due.order_id
           and t.transaction_id = due.transaction_id
        returning t.account_id as "accountId", t.order_id as "orderId",
                  t.transaction_id as "transactionId", t.next_poll_at as "nextPollAt"`;
    tx.commitWith(claimed);
  });
  return claimed ?? [];
}

function nextPollAt({ polls }: ListedPoll, { now, intervalSeconds, pollsMax }: PollTimes) {
  if (polls + 1 >= pollsMax) return null;
  return addSeconds(now, intervalSeconds[polls] ?? intervalSeconds.at(-1) ?? 0);
}

/** When the poll fell due that follows after `limit` others; undefined if fewer are due. */
export function findDueAfter(
  database: Queryable,
  provider: ProviderName,
  { from, now, limit }: { readonly from: Date; readonly now: Date; readonly limit: number },
) {
  return findValue<Date>(database, [provider, from, now, limit], 'find-due-after')`
    select next_poll_at from transactions
     where provider = $1 and next_poll_at >= $2 and next_poll_at <= $3
     order by next_poll_at offset $4 limit 1`;
}

/** Claims a poll for an enquiry. It does not count against `pollsMax` and leaves the schedule alone. */
export function claimPollOfEnquiry(
  database: Queryable,
  { accountId, transactionId }: DuePoll,
  { now, polledBefore }: Pick<PollTimes, 'now' | 'polledBefore'>,
) {
  const values = [accountId, transactionId, now, polledBefore];
  return findValue<string>(database, values, 'claim-poll-of-enquiry')`
    update transactions t set polled_at = $3
     where account_id = $1 and ${isChosen} and ${isOpen}
       and (polled_at is null or polled_at <= $4)
    returning order_id`;
}

const isChosen = hasId(sql`$2::text`);

/** Not final, or final for now: a payment that may still be retried or captured further has a next poll. */
const isOpen = sql`(status not in ('failed', 'succeeded', 'reversed') or next_poll_at is not null)`;

/** Null ends polling. A transaction that became final in the meantime is left alone. */
export async function setNextPoll(
  database: Queryable,
  { accountId, transactionId }: DuePoll,
  nextPollAt: Date | null,
) {
  await execute(database, [accountId, transactionId, nextPollAt])`
    update transactions t set next_poll_at = $3
     where account_id = $1 and ${isChosen} and ${isOpen}`;
}
