/**
 * Applies a delivery again because a person wants it, and whatever was parked for what it makes known. One that was
 * applied changes nothing the second time. Contract 6.6.
 */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery, DeliveryKey } from '../../domain/inbox/delivery.ts';
import { limits } from '../../domain/limits.ts';
import type { Services } from '../../services/services.ts';
import { findDelivery } from '../../store/inbox/deliveries.ts';
import { retryDelivery } from './retry-deliveries.ts';
import { unparkDeliveries } from './unpark-deliveries.ts';

/** Undefined if the account has no such delivery. */
export async function replayDelivery(
  services: Services,
  actor: Actor,
  { accountId, deliveryId }: DeliveryKey,
) {
  const retried = await retryDelivery(services, accountId, deliveryId, 'requested', actor).catch(
    (error: unknown) => {
      // An unavailable database says nothing about the delivery.
      if (error instanceof ServiceError) throw error;
    },
  );
  if (!retried) {
    const delivery = await findDelivery(services.database, accountId, deliveryId);
    // It could not be applied. If a try was due, this was one.
    return delivery && { kind: 'failed' as const, delivery };
  }
  const { before, after: delivery, names } = retried;
  if (!before || !delivery) return undefined;
  if (!delivery.body) {
    return { kind: 'pruned' as const, delivery, refusal: prunedRefusal(delivery) };
  }
  await unparkDeliveries(services, accountId, names);
  return { kind: 'replayed' as const, delivery, stateBefore: before.state };
}

function prunedRefusal({ deliveryId, state }: Delivery): string {
  if (state === 'expired') {
    return `Delivery ${deliveryId} cannot be replayed: it was dead for ${limits.deadDeliveryDays} days, so it expired and its body was pruned. It was never applied; let the provider send the event again, or look it up at the provider.`;
  }
  return `Delivery ${deliveryId} cannot be replayed: its body was pruned by age (INBOX_BODY_DAYS). It was finished before that, and its effects remain.`;
}
