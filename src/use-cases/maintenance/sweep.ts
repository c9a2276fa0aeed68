/**
 * Runs every minute: retries due deliveries, lapses overdue orders, signals due polls and prunes old data. Most retries
 * and polls run earlier, by their own jobs; the sweep catches those that were lost.
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
  /** Signalled to the poll jobs, because a slow provider must not delay the sweep. */
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
  for (const poll of due) services.polls.signal({ ...poll, at: now });
  await prune(services);
  await sealStored(services);
  return { retried, lapsed, toPoll: due.length };
}

/** An entry that fails does not stop the others. */
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
