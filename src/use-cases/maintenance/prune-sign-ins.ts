/** A step of the sweep: deletes sessions, invitations, challenges and failed sign-ins that have ended. Contract 13.2. */
import { limits } from '../../domain/limits.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { type EndedSignIns, pruneEnded } from '../../store/prune-sign-ins.ts';
import type { IsOver } from './run-step.ts';

type Needs = { readonly database: Database; readonly clock: Clock };

const batchSize = 500;

/** Returns how many are left, at least. */
export async function pruneSignIns({ database, clock }: Needs, isOver: IsOver): Promise<number> {
  const now = clock();
  const ends: Readonly<Record<EndedSignIns, Date>> = {
    idle_sessions: addSeconds(now, -limits.sessionIdleSeconds),
    sessions: now,
    invitations: now,
    challenges: now,
    failures: addSeconds(now, -limits.signInFailuresSeconds),
    known_visitors: addSeconds(now, -limits.knownVisitorSeconds),
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
