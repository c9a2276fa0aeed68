/** Retries the deliveries whose next try is due, oldest first. */
import type { Database } from '../../postgres/database.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { countDueDeliveries } from '../../store/backlogs.ts';
import { listDueDeliveries } from '../../store/deliveries.ts';
import { retryAndUnpark } from '../inbox/retry-and-unpark.ts';
import type { IsOver } from './run-step.ts';

type Needs = NeedsOf<typeof retryAndUnpark> & { readonly database: Database };

const batchSize = 100;
const batchesMax = 50;

/** A delivery that fails does not stop the others: its failure is stored with it. */
export async function retryDue(services: Needs, isOver: IsOver): Promise<number> {
  const { database } = services;
  const now = services.clock();
  for (let batch = 0; batch < batchesMax && !isOver(); batch += 1) {
    const due = await listDueDeliveries(database, now, batchSize);
    for (const { accountId, deliveryId } of due) {
      if (isOver()) break;
      await retryAndUnpark(services, accountId, deliveryId).catch(() => undefined);
    }
    if (due.length < batchSize && !isOver()) return 0;
  }
  return countDueDeliveries(database, now);
}
