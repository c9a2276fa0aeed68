/** The lease of the sweep: one row that says which process sweeps, and until when. Times are those of the database. */
import type { Queryable } from '../../postgres/database.ts';
import { changesOne, execute } from '../query.ts';

/**
 * Takes the lease if it has expired, or extends it if it is the owner's own. True if the owner holds it now. The lock of
 * the row ends the race of several processes: all but one find that the lease has been extended.
 */
export function claimSweepLease(database: Queryable, owner: string, leaseMs: number) {
  return changesOne(database, [owner, leaseMs], 'claim-sweep-lease')`
    update sweep_lease
       set owner = $1, expires_at = now() + $2::double precision * interval '1 millisecond'
     where expires_at < now() or owner = $1
    returning owner`;
}

/** Lets another process take over at once. */
export async function releaseSweepLease(database: Queryable, owner: string) {
  await execute(database, [owner])`
    update sweep_lease set expires_at = '-infinity' where owner = $1`;
}
