/**
 * What the background does every minute: tries again every delivery that is due, lapses orders whose
 * time is over, has providers asked about what is not final, and forgets what is too old. Most of it is
 * usually done sooner, each at its own time.
 */
import { listDueAsks } from '../store/asks.ts';
import { listDueDeliveries } from '../store/deliveries.ts';
import { hastenKnown } from '../store/waiting-deliveries.ts';
import { lapseOverdue } from './lapse-overdue.ts';
import { prune } from './prune.ts';
import { retryAndWake } from './retry-and-wake.ts';
import { sealStored } from './seal-stored.ts';
import type { Services } from './services.ts';

const batchSize = 100;
const batchesMax = 50;

export type Swept = {
  readonly retried: number;
  readonly lapsed: number;
  /** Handed to those who ask: a provider that hangs must not hold up the sweep. */
  readonly toAsk: number;
};

export async function sweep(services: Services): Promise<Swept> {
  const now = services.clock();
  await hastenKnown(services.database, now);
  const retried = await inBatches(
    () => listDueDeliveries(services.database, now, batchSize),
    ({ accountId, deliveryId }) => retryAndWake(services, accountId, deliveryId),
  );
  const lapsed = await lapseOverdue(services);
  const due = await listDueAsks(services.database, now, batchSize * batchesMax);
  for (const ask of due) services.asks.plan({ ...ask, at: now });
  await prune(services);
  await sealStored(services);
  return { retried, lapsed, toAsk: due.length };
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
