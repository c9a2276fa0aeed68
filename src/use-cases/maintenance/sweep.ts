/**
 * What the background does every minute: tries again every delivery that is due, lapses orders whose
 * time is over, has providers asked about what is not final, and forgets what is too old. Most of it is
 * usually done sooner, each at its own time.
 */
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { JobSignals, Poll } from '../../services/job-signals.ts';
import type { NeedsOf } from '../../services/needs.ts';
import { listDueDeliveries } from '../../store/deliveries.ts';
import { makeKnownDue } from '../../store/parked-deliveries.ts';
import { listDuePolls } from '../../store/polls.ts';
import { sealStored } from '../consumers/seal-stored.ts';
import { retryAndUnpark } from '../inbox/retry-and-unpark.ts';
import { lapseOverdue } from './lapse-overdue.ts';
import { prune } from './prune.ts';

type Needs = NeedsOf<typeof sealStored> &
  NeedsOf<typeof retryAndUnpark> &
  NeedsOf<typeof lapseOverdue> &
  NeedsOf<typeof prune> & {
    readonly database: Database;
    readonly polls: JobSignals<Poll>;
    readonly clock: Clock;
  };

const batchSize = 100;
const batchesMax = 50;

export type Swept = {
  readonly retried: number;
  readonly lapsed: number;
  /** Handed to those who ask: a provider that hangs must not hold up the sweep. */
  readonly toPoll: number;
};

export async function sweep(services: Needs): Promise<Swept> {
  const now = services.clock();
  await makeKnownDue(services.database, now);
  const retried = await inBatches(
    () => listDueDeliveries(services.database, now, batchSize),
    ({ accountId, deliveryId }) => retryAndUnpark(services, accountId, deliveryId),
  );
  const lapsed = await lapseOverdue(services);
  const due = await listDuePolls(services.database, now, batchSize * batchesMax);
  for (const ask of due) services.polls.plan({ ...ask, at: now });
  await prune(services);
  await sealStored(services);
  return { retried, lapsed, toPoll: due.length };
}

/** One that fails must not keep the others from their turn. */
async function inBatches<Entry>(
  list: () => Promise<readonly Entry[]>,
  handle: (entry: Entry) => Promise<unknown>,
): Promise<number> {
  let handled = 0;
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const entries = await list();
    for (const entry of entries) await handle(entry).catch(() => undefined);
    handled += entries.length;
    if (entries.length < batchSize) break;
  }
  return handled;
}
