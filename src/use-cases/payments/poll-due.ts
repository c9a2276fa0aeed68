/**
 * Polls the transactions of one provider that are due, many at a time. Due rows are claimed in batches. An account whose
 * polls are slow or fail is left out of the next claims, so that it does not delay the others. Contract 11.7.
 */
import { limits } from '../../domain/limits.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import {
  type ClaimedPoll,
  type ClaimedPolls,
  claimDuePolls,
  earliest,
  findDueAfter,
  type PollTimes,
} from '../../store/payments/polls.ts';
import { pollClaimed } from './poll-provider.ts';

type Watch = {
  /** More polls may start: one has ended. */
  readonly onRoom?: () => void;
  readonly onError?: (error: unknown, claimed: ClaimedPoll) => void;
};

/** Waits between polls, as multiples of the poll interval; the last value repeats. */
const pollIntervals: readonly number[] = [1, 2, 5, 10, 30, 60, 180, 360];
/** About three weeks at the default interval. Enquiries poll after that too. */
const pollsMax = 90;

export function createDuePolls(
  services: Services,
  provider: ProviderName,
  { onRoom = () => {}, onError = () => {} }: Watch = {},
) {
  const inProgress = new Set<Promise<void>>();
  const accounts = createBusyAccounts();
  const claimPolls = createPollClaims(services.database, provider);

  const poll = async (claimed: ClaimedPoll) => {
    accounts.start(claimed.accountId);
    const hasAnswer = await pollClaimed(services, claimed).catch((error: unknown) => {
      onError(error, claimed);
      return true;
    });
    accounts.end(claimed.accountId, hasAnswer);
  };
  return {
    /** Starts polls that are due. True if there may be more that can start now. */
    startDue: async () => {
      if (inProgress.size + paymentLimits.pollClaimMax > paymentLimits.pollsInProgressMax)
        return false;
      const { claimed, hasMore } = await claimPolls(pollTimesOf(services), accounts.list());
      for (const entry of claimed) {
        const ended = poll(entry).then(() => {
          inProgress.delete(ended);
          onRoom();
        });
        inProgress.add(ended);
      }
      return hasMore;
    },
    /** Resolves when the polls in progress have ended. */
    settled: async () => {
      await Promise.all(inProgress);
    },
  };
}

/**
 * Which accounts are left out of the next claim of polls: those with many polls in progress, and those whose provider did
 * not answer. An account is trusted with many polls only after an answer, so that many accounts whose provider hangs
 * cannot take all polls of the process.
 */
export function createBusyAccounts(clockMs: () => number = () => performance.now()) {
  const counts = new Map<string, number>();
  const answering = new Set<string>();
  /** Also those that are over: the next one is longer, unless there was an answer in between. */
  const pauses = new Map<string, { readonly ms: number; readonly untilMs: number }>();
  const maxOf = (accountId: string) =>
    answering.has(accountId) ? paymentLimits.pollsOfAccountMax : 1;

  const pause = (accountId: string) => {
    const nowMs = clockMs();
    const last = pauses.get(accountId);
    // The other polls of the same claim fail at the same time.
    if (last && nowMs < last.untilMs) return;
    const ms = last
      ? Math.min(2 * last.ms, paymentLimits.pollPauseMsMax)
      : paymentLimits.providerPauseMs;
    pauses.set(accountId, { ms, untilMs: nowMs + ms });
  };
  return {
    start: (accountId: string) => {
      counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
    },
    end: (accountId: string, hasAnswer: boolean) => {
      const left = (counts.get(accountId) ?? 1) - 1;
      if (left > 0) counts.set(accountId, left);
      else counts.delete(accountId);
      if (hasAnswer) {
        answering.add(accountId);
        pauses.delete(accountId);
      } else {
        answering.delete(accountId);
        // The circuit breaker is about to open, or open: polls would only use up their tries.
        pause(accountId);
      }
    },
    list: () => {
      const nowMs = clockMs();
      const full = [...counts].filter(([accountId, count]) => count >= maxOf(accountId));
      const paused = [...pauses].filter(([, { untilMs }]) => nowMs < untilMs);
      return [...new Set([...full, ...paused].map(([accountId]) => accountId))];
    },
  };
}

function pollTimesOf({ clock, settings: { pollSeconds } }: Pick<Services, 'clock' | 'settings'>) {
  const now = clock();
  return {
    now,
    polledBefore: addSeconds(now, -pollSeconds),
    intervalSeconds: pollIntervals.map((times) => times * pollSeconds),
    pollsMax,
  };
}

/** How far the claims that leave out the same accounts have come. The next one reads from `from` to `until`. */
type Walk = {
  /** The accounts that are left out. */
  readonly without: readonly string[];
  readonly from: Date;
  /** Undefined until the next range is chosen. */
  readonly until?: Date | undefined;
  /** How long it has read over rows that it could not claim. */
  readonly spentMs: number;
  /** All that was due is claimed; the next walk starts then. */
  readonly restsUntilMs: number;
};

/** A walk rests this many times as long as it has read in vain. */
const restShare = 9;
/** Walks that are remembered: the set of busy accounts changes all the time, between few values. */
const walksMax = 16;

/**
 * Claims the polls of one provider that are due, without those of busy accounts. Such a claim reads over the due rows
 * of the busy accounts, and there may be a million of them. So it walks through a limited number of rows per call,
 * continues where the last call stopped, and rests after the last row. `hasMore`: there may be more that can be claimed
 * now.
 */
export function createPollClaims(
  database: Database,
  provider: ProviderName,
  { rowsMax = paymentLimits.pollRowsMax }: { readonly rowsMax?: number } = {},
) {
  const walks = new Map<string, Walk>();
  const limit = paymentLimits.pollClaimMax;

  return async (times: PollTimes, busy: readonly string[]): Promise<ClaimedPolls> => {
    const key = busy.toSorted().join();
    const isBusy = new Set(busy);
    const smaller = [...walks.values()].filter(({ without }) =>
      without.every((accountId) => isBusy.has(accountId)),
    );
    if (smaller.some(({ restsUntilMs }) => performance.now() < restsUntilMs)) return nothing;
    const walk = walks.get(key) ?? startWalk(busy, smaller);
    const startedAtMs = performance.now();
    const until = walk.until ?? (await findEnd(walk, times.now));
    const range = { from: walk.from, until: until ?? times.now };
    const { claimed, hasMore } = await claimDuePolls(database, provider, times, {
      limit,
      except: busy,
      ...range,
    });
    const spentMs = walk.spentMs + performance.now() - startedAtMs;
    walks.delete(key);
    walks.set(key, hasMore ? { ...walk, until } : goOn(walk, until, spentMs));
    const [oldest = ''] = walks.keys();
    if (walks.size > walksMax) walks.delete(oldest);
    return { claimed, hasMore: hasMore || until !== undefined };
  };

  /** Undefined if the rest of what is due fits. Without busy accounts a claim reads only what it takes. */
  async function findEnd({ without, from }: Walk, now: Date): Promise<Date | undefined> {
    if (without.length === 0) return undefined;
    const end = await findDueAfter(database, provider, { from, now, limit: rowsMax });
    // If all of these rows fell due at one moment, the walk must still go on.
    return end && new Date(Math.max(end.getTime(), from.getTime() + 1));
  }
}

const nothing: ClaimedPolls = { claimed: [], hasMore: false };

/** A walk that leaves out fewer accounts has claimed everything before its position, so a new walk starts there. */
function startWalk(busy: readonly string[], smaller: readonly Walk[]): Walk {
  const passedMs = smaller.map(({ from }) => from.getTime());
  const from = new Date(Math.max(earliest.getTime(), ...passedMs));
  return { without: busy, from, spentMs: 0, restsUntilMs: 0 };
}

function goOn({ without }: Walk, until: Date | undefined, spentMs: number): Walk {
  if (until) return { without, from: until, spentMs, restsUntilMs: 0 };
  const restMs = Math.max(limits.backgroundTickMs, restShare * spentMs);
  return { without, from: earliest, spentMs: 0, restsUntilMs: performance.now() + restMs };
}
