/**
 * Deletes old data: bodies of finished deliveries and of delivered events, history rows, idempotency keys and sign-ins.
 * Dead deliveries that nobody resolved expire. Each is a step of the sweep that does a limited amount of work and returns how much is left.
 */
import { limits } from '../../domain/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { pruneEvents } from '../../store/events/event-bodies.ts';
import { pruneKeys } from '../../store/payments/idempotency-keys.ts';
import {
  countBodiesToPrune,
  countDeadToExpire,
  countKeysToPrune,
} from '../../store/upkeep/backlogs.ts';
import { expireDead, pruneBodies } from '../../store/upkeep/prune-deliveries.ts';
import { pruneHistory } from '../../store/upkeep/prune-history.ts';
import { type EndedSignIns, pruneEnded } from '../../store/upkeep/prune-sign-ins.ts';

const batchSize = 500;
const batchesMax = 20;
const daySeconds = 24 * 60 * 60;

export async function pruneOldBodies(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  isOver: IsOver,
): Promise<number> {
  if (settings.inboxBodyDays === 0) return 0;
  const before = addSeconds(clock(), -settings.inboxBodyDays * daySeconds);
  let left = 0;
  for (const which of ['finished', 'resolved'] as const) {
    const isDone = await inBatches(isOver, () => pruneBodies(database, which, before, batchSize));
    if (!isDone) left += await countBodiesToPrune(database, which, before);
  }
  return left;
}

/** Contract 6.8. */
export async function expireOldDead(
  { database, clock, counters }: Pick<Services, 'database' | 'counters' | 'clock'>,
  isOver: IsOver,
): Promise<number> {
  const deadBefore = addSeconds(clock(), -limits.deadDeliveryDays * daySeconds);
  const isDone = await inBatches(isOver, async () => {
    const { seen, expired } = await expireDead(database, { deadBefore, now: clock() }, batchSize);
    counters.noteDeliveries('expired', expired);
    return seen;
  });
  return isDone ? 0 : countDeadToExpire(database, deadBefore);
}

export async function pruneOldKeys(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  isOver: IsOver,
): Promise<number> {
  const before = addSeconds(clock(), -limits.idempotencyKeySeconds);
  const isDone = await inBatches(isOver, () => pruneKeys(database, before, batchSize));
  return isDone ? 0 : countKeysToPrune(database, before);
}

/** An endless scan, a part in every sweep, so nothing counts as left. */
export async function pruneOldHistory(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  isOver: IsOver,
): Promise<number> {
  if (settings.historyDays === 0) return 0;
  const before = addSeconds(clock(), -settings.historyDays * daySeconds);
  await inBatches(isOver, () => pruneHistory(database, before, batchSize));
  return 0;
}

/** The same kind of scan. */
export async function pruneOldEvents(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  isOver: IsOver,
): Promise<number> {
  if (settings.eventDays === 0) return 0;
  const before = addSeconds(clock(), -settings.eventDays * daySeconds);
  await inBatches(isOver, () => pruneEvents(database, before, batchSize));
  return 0;
}

/** Sessions, invitations, challenges and failed sign-ins that have ended. Returns how many kinds are left. Contract 13.2. */
export async function pruneSignIns(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  isOver: IsOver,
): Promise<number> {
  const now = clock();
  const ends: Readonly<Record<EndedSignIns, Date>> = {
    idle_sessions: addSeconds(now, -userLimits.sessionIdleSeconds),
    sessions: now,
    invitations: now,
    challenges: now,
    failures: addSeconds(now, -userLimits.signInFailuresSeconds),
    known_visitors: addSeconds(now, -userLimits.knownVisitorSeconds),
  };
  let left = 0;
  for (const [which, before] of Object.entries(ends) as [EndedSignIns, Date][]) {
    const prune = () => pruneEnded(database, which, before, batchSize);
    if (!(await inBatches(isOver, prune, Infinity))) left += 1;
  }
  return left;
}

/** Stops after a batch that is not full: then it returns true. */
async function inBatches(
  isOver: IsOver,
  pruneBatch: () => Promise<number>,
  max = batchesMax,
): Promise<boolean> {
  for (let batch = 0; batch < max && !isOver(); batch += 1) {
    if ((await pruneBatch()) < batchSize) return true;
  }
  return false;
}
