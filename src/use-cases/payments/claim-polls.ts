/**
 * Claims the polls of one provider that are due, without those of busy accounts. Such a claim reads over the due rows of
 * the busy accounts, and there may be a million of them. So it walks through a limited number of rows per call, continues
 * where the last call stopped, and rests after the last row.
 */
import { limits } from '../../domain/limits.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Database } from '../../postgres/database.ts';
import {
  type ClaimedPolls,
  claimDuePolls,
  earliest,
  findDueAfter,
  type PollTimes,
} from '../../store/payments/polls.ts';

/** `hasMore`: there may be more that can be claimed now. */
type ClaimPolls = (times: PollTimes, busy: readonly string[]) => Promise<ClaimedPolls>;

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

export function createPollClaims(
  database: Database,
  provider: ProviderName,
  { rowsMax = paymentLimits.pollRowsMax }: { readonly rowsMax?: number } = {},
): ClaimPolls {
  const walks = new Map<string, Walk>();
  const limit = paymentLimits.pollClaimMax;

  return async (times, busy) => {
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
      ...{ limit, except: busy },
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
