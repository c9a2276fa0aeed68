/** What the background does with one delivery whose time has come. */

import type { Services } from '../../services/services.ts';
import { retryDelivery } from './retry-delivery.ts';
import { unparkDeliveries } from './unpark-deliveries.ts';

/** Whatever the delivery brings may wake others, and it may be due again. */
export async function retryAndUnpark(
  services: Services,
  accountId: string,
  deliveryId: string,
): Promise<void> {
  const { delivery, names } = await retryDelivery(services, accountId, deliveryId, 'due');
  await unparkDeliveries(services, accountId, names);
  if (delivery?.nextTryAt) {
    services.retries.plan({ accountId, deliveryId, at: delivery.nextTryAt });
  }
}
