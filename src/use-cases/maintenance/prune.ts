/**
 * Deletes old data: bodies of finished deliveries, history rows and idempotency keys. Dead deliveries that nobody
 * resolved expire. The sweep calls it every minute, so each run does a limited amount of work.
 */
import { limits } from '../../domain/limits.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Counters } from '../../services/counters.ts';
import type { ServiceSettings } from '../../services/services.ts';
import { pruneKeys } from '../../store/idempotency-keys.ts';
import { expireDead, pruneBodies } from '../../store/prune-deliveries.ts';
import { pruneHistory } from '../../store/prune-history.ts';

type Needs = {
  readonly database: Database;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
};

const batchSize = 500;
const batchesMax = 20;
const dayMs = 24 * 60 * 60 * 1_000;

export async function prune({ database, clock, settings, counters }: Needs): Promise<void> {
  const before = (days: number) => new Date(clock().getTime() - days * dayMs);
  const { inboxBodyDays, historyDays } = settings;
  if (inboxBodyDays > 0) {
    for (const which of ['finished', 'resolved'] as const) {
      await inBatches(() => pruneBodies(database, which, before(inboxBodyDays), batchSize));
    }
  }
  const dead = { deadBefore: before(limits.deadDeliveryDays), now: clock() };
  await inBatches(async () => {
    const { seen, expired } = await expireDead(database, dead, batchSize);
    counters.noteDeliveries('expired', expired);
    return seen;
  });
  const freeBefore = addSeconds(clock(), -limits.idempotencyKeySeconds);
  await inBatches(() => pruneKeys(database, freeBefore, batchSize));
  if (historyDays > 0) {
    await inBatches(() => pruneHistory(database, before(historyDays), batchSize));
  }
}

/** Stops after a batch that is not full. */
async function inBatches(pruneBatch: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    if ((await pruneBatch()) < batchSize) return;
  }
}
