/**
 * Runs every minute and does what is due without a request. The loops of the background retry due deliveries and poll
 * providers all the time. Each step is limited in work and time, and runs whatever the others do.
 */
import { type IsOver, runStep, type Step } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { countDuePolls } from '../../store/upkeep/backlogs.ts';
import { countForOperators } from '../../store/upkeep/operator-counters.ts';
import { endCheckouts } from '../checkout/end-checkouts.ts';
import { retryAllDue } from '../inbox/retry-all-due.ts';
import { unparkDead, unparkKnown } from '../inbox/unpark-known.ts';
import { lapseOverdue } from '../orders/lapse-overdue.ts';
import { countFigures, walkFigures } from '../reports/count-figures.ts';
import { pruneSignIns } from '../users/prune-sign-ins.ts';
import { learnEmails } from './learn-emails.ts';
import {
  expireOldDead,
  pruneOldBodies,
  pruneOldEvents,
  pruneOldHistory,
  pruneOldKeys,
} from './prune.ts';

/** Together less than a minute, after which the next sweep starts. */
const msMax = 4_000;
const longMsMax = 8_000;

/** In this order: what merchants wait for comes first, and what was unparked is retried in the same sweep. */
export const sweepSteps: readonly Step[] = [
  { name: 'unpark-known', msMax, run: unparkKnown },
  { name: 'unpark-dead', msMax, run: unparkDead },
  { name: 'retry-due', msMax: longMsMax, run: retryAllDue },
  { name: 'lapse-overdue', msMax: longMsMax, run: lapseOverdue },
  { name: 'end-checkouts', msMax, run: endCheckouts },
  // The loops of the background poll; this counts what they have left. Contract 11.7.
  { name: 'poll-due', msMax, run: ({ database, clock }) => countDuePolls(database, clock()) },
  { name: 'expire-dead', msMax, run: expireOldDead },
  { name: 'prune-bodies', msMax, run: pruneOldBodies },
  { name: 'prune-keys', msMax, run: pruneOldKeys },
  { name: 'prune-history', msMax, run: pruneOldHistory },
  { name: 'prune-events', msMax, run: pruneOldEvents },
  { name: 'prune-sign-ins', msMax, run: pruneSignIns },
  { name: 'count-figures', msMax, run: countFigures },
  { name: 'walk-figures', msMax, run: walkFigures },
  { name: 'learn-emails', msMax, run: learnEmails },
  { name: 'count-stored', msMax: longMsMax, run: countStored },
];

/** When the process ends, the step at hand stops after its page or entry, and no other starts. */
export async function sweep(services: Services, isEnding: IsOver = () => false): Promise<void> {
  for (const step of sweepSteps) {
    if (isEnding()) return;
    await runStep(services, step, isEnding);
  }
}

/** Counts for /metrics what may be too much to count at each scrape. */
async function countStored({ database, clock }: Services): Promise<number> {
  await countForOperators(database, clock());
  return 0;
}
