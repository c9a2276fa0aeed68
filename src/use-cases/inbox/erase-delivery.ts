/** Removes the consumer's personal data from a delivery whose order is already erased. Contract 8.7. */

import { createScrub } from '../../domain/consumers/scrub.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { getProvider } from '../../providers/providers.ts';

/** The order's own data is gone, so only values that the delivery itself contains can be found and removed. */
export function eraseDelivery(delivery: Delivery): Delivery {
  const { body, provider } = delivery;
  if (!body) return delivery;
  const { listPersonalValues, eraseBody } = getProvider(provider).erasing;
  return { ...delivery, body: eraseBody(body, createScrub(listPersonalValues(body))) };
}
