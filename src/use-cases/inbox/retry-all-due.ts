/**
 * Retries every delivery whose next try is due, batch by batch. The background does this all the time; the sweep retries
 * at once what it has made due.
 */
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { countDueDeliveries } from '../../store/upkeep/backlogs.ts';
import { retryDue } from './retry-due.ts';

const batchesMax = 100;

/** Until none is due: a delivery that is applied may make others due. Returns how many are left. */
export async function retryAllDue(
  services: Pick<
    Services,
    'database' | 'batches' | 'announcer' | 'counters' | 'clock' | 'settings' | 'reportDefect'
  >,
  isOver: IsOver,
): Promise<number> {
  for (let batch = 0; batch < batchesMax && !isOver(); batch += 1) {
    if ((await retryDue(services)) === 0) return 0;
  }
  return countDueDeliveries(services.database, services.clock());
}
