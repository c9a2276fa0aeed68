/** What the background does with one delivery whose time has come. */
import { retryDelivery } from './retry-delivery.ts';
import type { Services } from './services.ts';
import { wakeDeliveries } from './wake-deliveries.ts';

/** Whatever the delivery brings may wake others, and it may be due again. */
export async function retryAndWake(
  services: Services,
  accountId: string,
  deliveryId: string,
): Promise<void> {
  const { delivery, names } = await retryDelivery(services, accountId, deliveryId, 'due');
  await wakeDeliveries(services, accountId, names);
  if (delivery?.nextTryAt) {
    services.retries.plan({ accountId, deliveryId, at: delivery.nextTryAt });
  }
}
