/**
 * Runs every minute and does what is due without a request. The loops of the background retry due deliveries and poll
 * providers all the time. Each step is limited in work and time, and runs whatever the others do.
 */
import { limits } from '../../domain/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import { type IsOver, runStep, type Step } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { listStepReports, type StepReport } from '../../store/upkeep/background-steps.ts';
import { countDuePolls } from '../../store/upkeep/backlogs.ts';
import { countForOperators } from '../../store/upkeep/operator-counters.ts';
import { endCheckouts } from '../checkout/get-checkout.ts';
import { pollDisputes } from '../disputes/poll-disputes.ts';
import { retryAllDue } from '../inbox/retry-due.ts';
import { unparkDead, unparkKnown } from '../inbox/unpark-known.ts';
import { lapseOverdue } from '../orders/lapse-overdue.ts';
import { countFigures, walkFigures } from '../reports/count-figures.ts';
import { learnEmails } from './learn-emails.ts';
import {
  expireOldDead,
  pruneOldBodies,
  pruneOldEvents,
  pruneOldHistory,
  pruneOldKeys,
  pruneSignIns,
} from './prune.ts';

/** Together about a minute, after which the next sweep starts. */
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
  { name: 'poll-disputes', msMax: longMsMax, run: pollDisputes },
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

/**
 * Which steps of the background have not succeeded for too long. Contract 1.8. A step that has not run yet is not late:
 * the first sweep after a start runs all of them.
 */
export async function listLateSteps(
  services: Pick<Services, 'database' | 'backgroundReports' | 'clock'>,
): Promise<string[]> {
  const lateBefore = addSeconds(services.clock(), -limits.stepLateSeconds);
  return mergeSteps(services, await listStepReports(services.database))
    .filter(({ lastSuccessAt, failures }) =>
      lastSuccessAt === null ? failures > 0 : lastSuccessAt < lateBefore,
    )
    .map(({ step }) => step);
}

/** The steps of the sweep that exist today, and the loops of this process, which replace steps of the same name. */
export function mergeSteps(
  { backgroundReports }: Pick<Services, 'backgroundReports'>,
  stored: readonly StepReport[],
): StepReport[] {
  const isKnown = ({ step }: StepReport) => sweepSteps.some(({ name }) => name === step);
  const all = [...stored.filter(isKnown), ...backgroundReports.listLoops()];
  return [...new Map(all.map((report) => [report.step, report])).values()];
}
