/** Counts the polls that are due: what the loops of the background have left. Contract 11.7. */
import type { Services } from '../../services/services.ts';
import { countDuePolls as countDue } from '../../store/upkeep/backlogs.ts';

export function countDuePolls({
  database,
  clock,
}: Pick<Services, 'database' | 'clock'>): Promise<number> {
  return countDue(database, clock());
}
