/**
 * Applies parked deliveries whose order or payment has become known: by being created, or by a
 * delivery that tied a provider's name to it. What they bring may wake others in turn. Throws when the
 * database is away: whoever can be asked again should not say that all is done.
 */
import { ServiceError } from '../../domain/errors.ts';
import type { Services } from '../../services/services.ts';
import { makeDue } from '../../store/parked-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';

/** As many as a caller can wait for; the background does the rest at once. */
const unparkedInlineMax = 20;

export async function unparkDeliveries(
  services: Services,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  const { batches } = services;
  if (names.length === 0) return;
  await applyParked(services, accountId, await batches.listParkedDeliveries({ accountId, names }));
}

/** The same for those that are known to wait. */
export async function applyParked(
  services: Services,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  const { batches } = services;
  const unparked = new Set<string>();
  let waiting = deliveryIds;
  while (waiting.length > 0) {
    const fresh = waiting.filter((id) => !unparked.has(id));
    const now = fresh.slice(0, Math.max(0, unparkedInlineMax - unparked.size));
    const later = fresh.slice(now.length);
    for (const deliveryId of fresh) unparked.add(deliveryId);
    const found: string[] = [];
    for (const deliveryId of now) {
      const retried = await retryDelivery(services, accountId, deliveryId, 'asked').catch(
        onlyDefects,
      );
      if (retried) found.push(...retried.names);
      else later.push(deliveryId);
    }
    await leaveToBackground(services, accountId, later);
    waiting =
      found.length === 0 ? [] : await batches.listParkedDeliveries({ accountId, names: found });
  }
}

/** A defect of one delivery was noted with it; a database that is away is for the caller to know. */
function onlyDefects(error: unknown): null {
  if (error instanceof ServiceError) throw error;
  return null;
}

async function leaveToBackground(
  services: Services,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  if (deliveryIds.length === 0) return;
  const at = services.clock();
  await makeDue(services.database, accountId, deliveryIds, at);
  for (const deliveryId of deliveryIds) services.retries.plan({ accountId, deliveryId, at });
}
