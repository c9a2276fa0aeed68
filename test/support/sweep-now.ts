/** Lets a running service sweep soon instead of after the rest of a minute: whoever takes over the lease sweeps first. */
import type { Database } from '../../src/postgres/database.ts';

/** Another owner has the lease for longer than a service waits between two claims. */
export async function sweepNow(database: Database): Promise<void> {
  await database.query({
    text: `update sweep_lease set owner = 'another process', expires_at = now() + interval '3 seconds'`,
  });
}
