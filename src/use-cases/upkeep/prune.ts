/**
 * Deletes old data: bodies of finished deliveries and of delivered events, history rows, idempotency keys and sign-ins.
 * Dead deliveries that nobody resolved expire. Each is a step of the sweep that does a limited amount of work and
 * returns how much is left.
 */
import { limits } from '../../domain/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import type { Database } from '../../postgres/database.ts';
import type { Step } from '../../services/run-step.ts';
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
const batchesMaxUsually = 20;

export const pruneOldBodies = inOrder(
  (['finished', 'resolved'] as const).map((which) =>
    pruneByAge(
      ({ inboxBodyDays }) => secondsOf(inboxBodyDays),
      (database, before, limit) => pruneBodies(database, which, before, limit),
      (database, before) => countBodiesToPrune(database, which, before),
    ),
  ),
);

/** Contract 6.8. */
export const expireOldDead = pruneByAge(
  () => secondsOf(limits.deadDeliveryDays),
  async (database, deadBefore, limit, { clock, counters }) => {
    const { seen, expired } = await expireDead(database, { deadBefore, now: clock() }, limit);
    counters.noteDeliveries('expired', expired);
    return seen;
  },
  countDeadToExpire,
);

export const pruneOldKeys = pruneByAge(
  () => limits.idempotencyKeySeconds,
  pruneKeys,
  countKeysToPrune,
);

/** These two are endless scans, a part in every sweep, so nothing counts as left. */
export const pruneOldHistory = pruneByAge(
  (settings) => secondsOf(settings.historyDays),
  pruneHistory,
);
export const pruneOldEvents = pruneByAge((settings) => secondsOf(settings.eventDays), pruneEvents);

const signInSeconds: Readonly<Record<EndedSignIns, number>> = {
  idle_sessions: userLimits.sessionIdleSeconds,
  sessions: 0,
  invitations: 0,
  challenges: 0,
  failures: userLimits.signInFailuresSeconds,
  known_visitors: userLimits.knownVisitorSeconds,
};

/** Sessions, invitations, challenges and failed sign-ins that have ended. Returns how many kinds are left. Contract 13.2. */
export const pruneSignIns = inOrder(
  (Object.entries(signInSeconds) as [EndedSignIns, number][]).map(([which, seconds]) =>
    pruneByAge(
      () => seconds,
      (database, before, limit) => pruneEnded(database, which, before, limit),
      () => 1,
      Infinity,
    ),
  ),
);

/** With zero days, rows are kept for ever. */
function secondsOf(days: number): number | undefined {
  return days === 0 ? undefined : days * 24 * 60 * 60;
}

/** A step that prunes the rows of an age, in batches until one is not full. */
function pruneByAge(
  ageOf: (settings: Services['settings']) => number | undefined,
  pruneBatch: (
    database: Database,
    before: Date,
    limit: number,
    services: Services,
  ) => Promise<number>,
  countLeft: (database: Database, before: Date) => number | Promise<number> = () => 0,
  batchesMax = batchesMaxUsually,
): Step['run'] {
  return async (services, isOver) => {
    const { database, clock, settings } = services;
    const seconds = ageOf(settings);
    if (seconds === undefined) return 0;
    const before = addSeconds(clock(), -seconds);
    for (let batch = 0; batch < batchesMax && !isOver(); batch += 1) {
      if ((await pruneBatch(database, before, batchSize, services)) < batchSize) return 0;
    }
    return countLeft(database, before);
  };
}

function inOrder(steps: ReadonlyArray<Step['run']>): Step['run'] {
  return async (services, isOver) => {
    let left = 0;
    for (const run of steps) left += await run(services, isOver);
    return left;
  };
}
