/** A delivery without the personal data of who paid, for orders that are erased already. Contract 8.7. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { createScrub } from '../../domain/personal-data/scrub.ts';
import type { Transaction } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';

import { saveErasedBodies } from '../../store/erasure.ts';

/** Nothing is known of the consumer but what the delivery itself says. */
export function eraseDelivery(delivery: Delivery): Delivery {
  const { body, provider } = delivery;
  if (!body) return delivery;
  const { listPersonalValues, eraseBody } = getProvider(provider).erasing;
  return { ...delivery, body: eraseBody(body, createScrub(listPersonalValues(body))) };
}

/** One that was stored as it came is stored again without what is erased. */
export async function saveIfErased(
  tx: Transaction,
  before: Delivery,
  after: Delivery,
): Promise<void> {
  const { accountId, deliveryId, why, body, finishedAt, receivedAt } = after;
  if (!body || !before.body || before.body.equals(body)) return;
  await saveErasedBodies(tx, accountId, [{ deliveryId, why, body }], finishedAt ?? receivedAt);
}
