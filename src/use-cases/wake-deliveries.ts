/**
 * Applies parked deliveries whose order or payment has become known: by being created, or by a
 * delivery that tied a provider's name to it. What they bring may wake others in turn.
 */
import { hastenDeliveries, listWaitingDeliveries } from '../store/waiting-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';
import type { Services } from './services.ts';

/** As many as a caller can wait for; the background does the rest at once. */
const wokenInlineMax = 20;

export async function wakeDeliveries(
  services: Services,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  let known = names;
  const woken = new Set<string>();
  while (known.length > 0) {
    // What cannot be done now is left to the background; the caller's own work is done and stands.
    const waiting = await listWaitingDeliveries(services.database, accountId, known).catch(
      () => [],
    );
    const fresh = waiting.filter((id) => !woken.has(id));
    const now = fresh.slice(0, Math.max(0, wokenInlineMax - woken.size));
    const later = fresh.slice(now.length);
    for (const deliveryId of fresh) woken.add(deliveryId);
    const found: string[] = [];
    for (const deliveryId of now) {
      const retried = await retryDelivery(services, accountId, deliveryId, 'asked').catch(
        () => null,
      );
      if (retried) found.push(...retried.names);
      else later.push(deliveryId);
    }
    await leaveToBackground(services, accountId, later);
    known = found;
  }
}

async function leaveToBackground(
  services: Services,
  accountId: string,
  deliveryIds: readonly string[],
): Promise<void> {
  if (deliveryIds.length === 0) return;
  const at = services.clock();
  await hastenDeliveries(services.database, accountId, deliveryIds, at).catch(() => undefined);
  for (const deliveryId of deliveryIds) services.retries.plan({ accountId, deliveryId, at });
}
