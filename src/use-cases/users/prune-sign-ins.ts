/** A step of the sweep: deletes sessions, invitations, challenges and failed sign-ins that have ended. Contract 13.2. */

import { addSeconds } from '../../domain/time.ts';
import { userLimits } from '../../domain/users/limits.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { type EndedSignIns, pruneEnded } from '../../store/upkeep/prune-sign-ins.ts';

const batchSize = 500;

/** Returns how many are left, at least. */
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
    let deleted = batchSize;
    while (deleted === batchSize && !isOver()) {
      deleted = await pruneEnded(database, which, before, batchSize);
    }
    if (deleted === batchSize) left += 1;
  }
  return left;
}
