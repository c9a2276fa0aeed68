/**
 * Applies parked deliveries whose order has become known: by being created, or by a delivery that
 * tied a provider's name to it. What they bring may wake others in turn.
 */
import { listWaitingDeliveries } from '../store/waiting-deliveries.ts';
import { retryDelivery } from './retry-delivery.ts';
import type { Services } from './services.ts';

export async function wakeDeliveries(
  services: Services,
  accountId: string,
  names: readonly string[],
): Promise<void> {
  let known = names;
  const tried = new Set<string>();
  while (known.length > 0) {
    // What cannot be done now is left to the worker; the caller's own work is done and stands.
    const waiting = await listWaitingDeliveries(services.database, accountId, known).catch(
      () => [],
    );
    const found: string[] = [];
    for (const deliveryId of waiting.filter((id) => !tried.has(id))) {
      tried.add(deliveryId);
      const retried = await retryDelivery(services, accountId, deliveryId, 'asked').catch(
        () => null,
      );
      found.push(...(retried?.names ?? []));
    }
    known = found;
  }
}
