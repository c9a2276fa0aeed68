/**
 * Runs every minute: makes parked deliveries due whose order is known, retries what is due, lapses overdue orders and
 * prunes old data. The background retries due deliveries and polls providers all the time; the sweep does not poll.
 */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { makeKnownDue } from '../../store/parked-deliveries.ts';
import { sealStored } from '../consumers/seal-stored.ts';
import { retryDue } from '../inbox/retry-due.ts';
import { lapseOverdue } from './lapse-overdue.ts';
import { prune } from './prune.ts';

type Needs = NeedsOf<typeof sealStored> &
  NeedsOf<typeof retryDue> &
  NeedsOf<typeof lapseOverdue> &
  NeedsOf<typeof prune> & {
    readonly database: Database;
    readonly clock: Clock;
  };

const batchesMax = 100;

export type Swept = {
  readonly retried: number;
  readonly lapsed: number;
};

export async function sweep(services: Needs): Promise<Swept> {
  const now = services.clock();
  await makeKnownDue(services.database, now);
  const retried = await retryAllDue(services);
  const lapsed = await lapseOverdue(services);
  await prune(services);
  await sealStored(services);
  return { retried, lapsed };
}

/** Until none is due: a delivery that is applied may make others due. */
async function retryAllDue(services: Needs): Promise<number> {
  let retried = 0;
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const tried = await retryDue(services);
    if (tried === 0) break;
    retried += tried;
  }
  return retried;
}
