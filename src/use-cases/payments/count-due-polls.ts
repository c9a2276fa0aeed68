/** Counts the polls that are due: what the loops of the background have left. Contract 11.7. */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { countDuePolls as countDue } from '../../store/upkeep/backlogs.ts';

type Needs = {
  readonly database: Database;
  readonly clock: Clock;
};

export function countDuePolls({ database, clock }: Needs): Promise<number> {
  return countDue(database, clock());
}
