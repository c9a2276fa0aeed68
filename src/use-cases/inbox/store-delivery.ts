/**
 * Stores one delivery in a batch with others and does what follows from it: applies deliveries that were parked for it,
 * plans its next try, and stores it also when it cannot be applied. Contract 6.3.
 */
import { ServiceError } from '../../domain/errors.ts';
import { type Delivery, isUnfinished } from '../../domain/inbox/delivery.ts';
import {
  answerOf,
  type DeliveryCaller,
  type ReceivedDelivery,
  type StoredDelivery,
  type StoredOrRefused,
  type TranslatedDelivery,
} from '../../domain/inbox/incoming.ts';
import { failedTryOf } from '../../domain/inbox/retry-schedule.ts';
import type { Services } from '../../services/services.ts';
import { insertDeliveries } from '../../store/inbox/delivery-writes.ts';
import { retryDelivery } from './retry-deliveries.ts';
import { lockRepeats } from './store-batch.ts';
import type { UntranslatedDelivery } from './translate-delivery.ts';
import { applyParked, unparkDeliveries } from './unpark-deliveries.ts';

export async function storeDelivery(
  services: Services,
  translated: TranslatedDelivery | UntranslatedDelivery,
  caller: DeliveryCaller,
): Promise<ReceivedDelivery> {
  const { delivery } = translated;
  const { accountId } = delivery;
  const stored = await storeOnce(services, translated, caller);
  if ('refusal' in stored) throw stored.refusal;
  // Copies are answered `duplicate`, so a delivery is counted once.
  if (stored.received.status === 'needs_review') services.counters.noteDeliveries('needs_review');
  if (stored.toUnpark.length > 0) {
    await applyParked(services, accountId, stored.toUnpark).catch(leaveToSweep);
  }
  return stored.isKnownNow ? tryOnceMore(services, accountId, stored) : stored.received;
}

async function storeOnce(
  services: Services,
  translated: TranslatedDelivery | UntranslatedDelivery,
  caller: DeliveryCaller,
): Promise<StoredOrRefused> {
  const { delivery } = translated;
  if ('defect' in translated) return storeForLater(services, delivery, translated.defect);
  try {
    return await services.storeBatch({ ...translated, caller });
  } catch (error) {
    return storeForLater(services, delivery, error);
  }
}

/**
 * Applying failed although the database works: a defect of ours. The delivery is stored unapplied and answered with
 * 200, because a provider that gets errors switches the endpoint off.
 */
async function storeForLater(
  { database, clock, reportDefect }: Pick<Services, 'database' | 'clock' | 'reportDefect'>,
  delivery: Delivery,
  error: unknown,
): Promise<StoredDelivery> {
  if (error instanceof ServiceError) throw error;
  reportDefect(error, { deliveryId: delivery.deliveryId });
  const stored = await database.transaction(async (tx) => {
    const { repeated, fresh } = (await lockRepeats(tx, [delivery]))(delivery);
    if (repeated) return repeated;
    const unapplied = { ...fresh, ...failedTryOf(delivery, clock()) };
    await insertDeliveries(tx, [unapplied]);
    return unapplied;
  });
  return {
    received: answerOf(stored, 'parked'),
    toUnpark: [],
    isKnownNow: stored.nextTryAt !== null,
  };
}

/** The delivery itself is stored and applied. The sweep finds parked ones that could not be applied now. */
function leaveToSweep(): void {}

/** What it names is known now, or applying it failed, which may have been by chance. */
async function tryOnceMore(services: Services, accountId: string, { received }: StoredDelivery) {
  const { deliveryId } = received;
  const retried = await retryDelivery(services, accountId, deliveryId, 'requested').catch(
    () => undefined,
  );
  if (retried?.after && !isUnfinished(retried.after.state)) {
    await unparkDeliveries(services, accountId, retried.names).catch(leaveToSweep);
    return answerOf(retried.after, retried.after.state);
  }
  return received;
}
