/**
 * Applies one stored delivery again: when its next try is due, when its order appears, and when an operator replays it.
 * The steps are those of a batch, from "resolve orders" on.
 */
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { resultOfRetry } from '../../domain/inbox/retry-result.ts';
import { failedTryOf, isDue } from '../../domain/inbox/retry-schedule.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import type { Counters } from '../../services/counters.ts';
import type { ReportDefect } from '../../services/services.ts';
import { lockDelivery } from '../../store/deliveries.ts';
import { updateDeliveries } from '../../store/delivery-writes.ts';
import { listBatchChanges, saveBatchChanges } from './batch-changes.ts';
import { lockAndFold } from './lock-and-fold.ts';
import { resolveOrders } from './resolve-orders.ts';
import { translateDelivery } from './translate-delivery.ts';

export type RetryNeeds = {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: { readonly pollSeconds: number };
  readonly counters: Pick<Counters, 'noteDeliveries'>;
  readonly reportDefect: ReportDefect;
};

export type RetryReason =
  /** The next try is due. It counts as a try. */
  | 'due'
  /** Its order appeared, or an operator replays it. It does not count as a try. */
  | 'requested';

export type RetriedDelivery = {
  /** Undefined if no such delivery is stored. */
  readonly delivery: Delivery | undefined;
  /** Names that are known from now on. */
  readonly names: readonly string[];
};

export async function retryDelivery(
  needs: RetryNeeds,
  accountId: string,
  deliveryId: string,
  reason: RetryReason,
): Promise<RetriedDelivery> {
  try {
    const { before, after, names } = await needs.database.transaction(async (tx) => {
      const delivery = await lockDelivery(tx, accountId, deliveryId);
      const mayRun = reason === 'requested' || (delivery && isDue(delivery, needs.clock()));
      // A delivery without a body was pruned: it is finished and cannot be read any more.
      if (!delivery?.body || !mayRun) return { before: delivery, after: delivery, names: [] };
      return { before: delivery, ...(await applyAgain(tx, needs, delivery, reason)) };
    });
    if (after && after.state !== before?.state) needs.counters.noteDeliveries(after.state);
    return { delivery: after, names };
  } catch (error) {
    // An unavailable database says nothing about the delivery.
    if (error instanceof ServiceError) throw error;
    await noteFailedTry(needs, accountId, deliveryId, error);
    throw error;
  }
}

async function applyAgain(
  tx: Transaction,
  { clock, settings }: RetryNeeds,
  before: Delivery,
  reason: RetryReason,
): Promise<{ readonly after: Delivery; readonly names: readonly string[] }> {
  const now = clock();
  const batch = [translateDelivery(before)];
  const resolved = await resolveOrders(tx, batch);
  const folded = await lockAndFold(tx, batch, resolved, { now });
  const [own] = folded.deliveries;
  if (!own) throw new Error('a delivery was not applied');
  const { result, names, parkedFor, erasedBody } = own;
  const after = {
    ...before,
    ...(reason === 'due' ? result : resultOfRetry(before, result)),
    ...(erasedBody && { body: erasedBody }),
  };
  const decided = [{ before, after, isNew: false, parkedFor }];
  const pollAt = addSeconds(now, settings.pollSeconds);
  const changes = listBatchChanges(decided, folded.orders, resolved.providerOrders, pollAt);
  await saveBatchChanges(tx, changes);
  return { after, names };
}

/** In a transaction of its own: the one of the failed try is rolled back. */
async function noteFailedTry(
  { database, clock, counters, reportDefect }: RetryNeeds,
  accountId: string,
  deliveryId: string,
  error: unknown,
): Promise<void> {
  reportDefect(error, { deliveryId });
  const state = await database.transaction(async (tx) => {
    const delivery = await lockDelivery(tx, accountId, deliveryId);
    if (!delivery || !isDue(delivery, clock())) return undefined;
    const after = { ...delivery, ...failedTryOf(delivery, clock()) };
    await updateDeliveries(tx, [after]);
    return after.state;
  });
  if (state) counters.noteDeliveries(state);
}
