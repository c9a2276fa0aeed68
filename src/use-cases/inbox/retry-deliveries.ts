/**
 * Applies several stored deliveries again, in one transaction. If that fails, each runs alone, so that one that cannot
 * be applied does not keep the others waiting.
 */
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery, DeliveryKey } from '../../domain/inbox/delivery.ts';
import { limitLockWait, type Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import { databaseLimits } from '../../postgres/limits.ts';
import type { Services } from '../../services/services.ts';
import { type AppliedDelivery, applyStored, type RetryReason } from './apply-stored.ts';
import { noteStates, type RetriedDelivery, retryDelivery } from './retry-delivery.ts';

type RetriedDeliveries = {
  readonly retried: readonly RetriedDelivery[];
  /** A defect was reported and noted with its delivery. An unavailable database is for the caller to handle. */
  readonly failed: ReadonlyArray<DeliveryKey & { readonly error: unknown }>;
};

/**
 * `lock` chooses the deliveries and locks them. Every transaction locks deliveries before orders, and orders in the order
 * of their keys, or two of them could deadlock. `named` are those to run alone if they could not even be locked.
 */
export async function retryDeliveries(
  services: Pick<
    Services,
    'database' | 'announcer' | 'counters' | 'clock' | 'settings' | 'reportDefect'
  >,
  lock: (tx: Transaction) => Promise<readonly Delivery[]>,
  reason: RetryReason,
  named: readonly DeliveryKey[] = [],
): Promise<RetriedDeliveries> {
  let chosen = named;
  let applied: readonly AppliedDelivery[];
  try {
    applied = await services.database.transaction(async (tx) => {
      // A lock that somebody else holds must not delay the whole batch.
      const [, locked] = await inOrder([
        () => limitLockWait(tx, databaseLimits.batchLockMsMax),
        () => lock(tx),
      ]);
      chosen = locked;
      return applyStored(tx, services, locked, reason);
    });
  } catch (error) {
    if (error instanceof ServiceError || chosen.length === 0) throw error;
    return retryEach(services, chosen, reason);
  }
  noteStates(services, applied);
  const retried = applied.map(({ before, after, names }) => ({ before, delivery: after, names }));
  return { retried, failed: [] };
}

/** One of them may have to wait for a lock. */
const concurrentMax = 4;

async function retryEach(
  services: Pick<
    Services,
    'database' | 'announcer' | 'counters' | 'clock' | 'settings' | 'reportDefect'
  >,
  deliveries: readonly DeliveryKey[],
  reason: RetryReason,
): Promise<RetriedDeliveries> {
  const retried: RetriedDelivery[] = [];
  const failed: Array<DeliveryKey & { error: unknown }> = [];
  const queue = deliveries.values();
  const work = async () => {
    for (const { accountId, deliveryId } of queue) {
      await retryDelivery(services, accountId, deliveryId, reason).then(
        (entry) => retried.push(entry),
        (error: unknown) => failed.push({ accountId, deliveryId, error }),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrentMax }, work));
  return { retried, failed };
}
