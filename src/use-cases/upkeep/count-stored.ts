/** Counts for /metrics what may be too much to count at each scrape. */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { countForOperators } from '../../store/upkeep/operator-counters.ts';

type Needs = {
  readonly database: Database;
  readonly clock: Clock;
};

export async function countStored({ database, clock }: Needs): Promise<number> {
  await countForOperators(database, clock());
  return 0;
}
