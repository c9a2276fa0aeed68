/** Retries one delivery that is due, for the background, and schedules its next try. */
import { retryDelivery } from './retry-delivery.ts';
import { type UnparkNeeds, unparkDeliveries } from './unpark-deliveries.ts';

export async function retryAndUnpark(
  needs: UnparkNeeds,
  accountId: string,
  deliveryId: string,
): Promise<void> {
  const { delivery, names } = await retryDelivery(needs, accountId, deliveryId, 'due');
  await unparkDeliveries(needs, accountId, names);
  if (delivery?.nextTryAt) {
    needs.retries.signal({ accountId, deliveryId, at: delivery.nextTryAt });
  }
}
