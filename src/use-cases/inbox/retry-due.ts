/**
 * Retries deliveries whose next try is due, a batch per call, and unparks what they make known. Several processes may
 * call it: each delivery is in one batch. Contract 6.6.
 */
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { IsOver } from '../../services/run-step.ts';
import type { Services } from '../../services/services.ts';
import { hasDueDeliveries, lockDueDeliveries } from '../../store/inbox/deliveries.ts';
import { countDueDeliveries } from '../../store/upkeep/backlogs.ts';
import { retryDeliveries } from './retry-deliveries.ts';
import { unparkDeliveries } from './unpark-deliveries.ts';

/** Returns how many were tried: at `limits.retryBatchMax` there may be more. */
export async function retryDue(services: Services): Promise<number> {
  const { database, clock } = services;
  // Nothing is due most of the time, and this costs less than an empty transaction.
  if (!(await hasDueDeliveries(database, clock()))) return 0;
  const { retried, failed } = await retryDeliveries(
    services,
    (tx) => lockDueDeliveries(tx, clock(), limits.retryBatchMax),
    'due',
  );
  const unavailable = failed.filter(({ error }) => error instanceof ServiceError);
  // One whose order is locked stays due and must not stop the others.
  if (retried.length === 0 && unavailable[0]) throw unavailable[0].error;
  for (const [accountId, own] of Map.groupBy(retried, ({ after }) => after?.accountId ?? '')) {
    await unparkDeliveries(services, accountId, [...new Set(own.flatMap(({ names }) => names))]);
  }
  return retried.length + failed.length - unavailable.length;
}

const batchesMax = 100;

/**
 * Batch by batch until none is due: a delivery that is applied may make others due. The background does this all the
 * time; the sweep retries at once what it has made due. Returns how many are left.
 */
export async function retryAllDue(services: Services, isOver: IsOver): Promise<number> {
  for (let batch = 0; batch < batchesMax && !isOver(); batch += 1) {
    if ((await retryDue(services)) === 0) return 0;
  }
  return countDueDeliveries(services.database, services.clock());
}
