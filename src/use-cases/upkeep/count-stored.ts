/** Counts for /metrics what may be too much to count at each scrape. */
import type { Services } from '../../services/services.ts';
import { countForOperators } from '../../store/upkeep/operator-counters.ts';

export async function countStored({
  database,
  clock,
}: Pick<Services, 'database' | 'clock'>): Promise<number> {
  await countForOperators(database, clock());
  return 0;
}
