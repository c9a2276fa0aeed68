/**
 * Polls the transactions of one provider that are due, many at a time. Due rows are claimed in batches. An account whose
 * polls are slow or fail is left out of the next claims, so that it does not delay the others. Contract 11.7.
 */
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { addSeconds } from '../../domain/time.ts';
import { createBusyAccounts } from '../../services/busy-accounts.ts';
import type { Services } from '../../services/services.ts';
import type { ClaimedPoll } from '../../store/payments/polls.ts';
import { createPollClaims } from './claim-polls.ts';
import { pollClaimed } from './poll-provider.ts';

type DuePolls = {
  /** Starts polls that are due. True if there may be more that can start now. */
  readonly startDue: () => Promise<boolean>;
  /** Resolves when the polls in progress have ended. */
  readonly settled: () => Promise<void>;
};

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
): DuePolls {
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
    settled: async () => {
      await Promise.all(inProgress);
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
