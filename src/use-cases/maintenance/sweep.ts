/**
 * Runs every minute and does what is due without a request. Most retries and polls run earlier, by their own jobs; the
 * sweep catches those that were lost. Each step is limited in work and time, and runs whatever the others do.
 */
import type { NeedsOf } from '../../services/needs.ts';
import { sealStored } from '../consumers/seal-stored.ts';
import { countStored } from './count-stored.ts';
import { lapseOverdue } from './lapse-overdue.ts';
import { expireOldDead, pruneOldBodies, pruneOldHistory, pruneOldKeys } from './prune.ts';
import { retryDue } from './retry-due.ts';
import { runStep, type Step } from './run-step.ts';
import { signalPolls } from './signal-polls.ts';
import { unparkDead, unparkKnown } from './unpark-known.ts';

type Needs = NeedsOf<typeof unparkKnown> &
  NeedsOf<typeof retryDue> &
  NeedsOf<typeof lapseOverdue> &
  NeedsOf<typeof signalPolls> &
  NeedsOf<typeof pruneOldBodies> &
  NeedsOf<typeof expireOldDead> &
  NeedsOf<typeof countStored> &
  NeedsOf<typeof sealStored> &
  NeedsOf<typeof runStep>;

/** Together less than a minute, after which the next sweep starts. */
const msMax = 4_000;
const longMsMax = 8_000;

/** In this order: what merchants wait for comes first, and what was unparked is retried in the same sweep. */
export const sweepSteps: ReadonlyArray<Step<Needs>> = [
  { name: 'unpark-known', msMax, run: unparkKnown },
  { name: 'unpark-dead', msMax, run: unparkDead },
  { name: 'retry-due', msMax: longMsMax, run: retryDue },
  { name: 'lapse-overdue', msMax: longMsMax, run: lapseOverdue },
  { name: 'poll-due', msMax, run: signalPolls },
  { name: 'expire-dead', msMax, run: expireOldDead },
  { name: 'prune-bodies', msMax, run: pruneOldBodies },
  { name: 'prune-keys', msMax, run: pruneOldKeys },
  { name: 'prune-history', msMax, run: pruneOldHistory },
  { name: 'seal-stored', msMax, run: sealStored },
  { name: 'count-stored', msMax: longMsMax, run: countStored },
];

export async function sweep(services: Needs): Promise<void> {
  for (const step of sweepSteps) await runStep(services, step);
}
