/** Loads what is stored under the keys and event ids of a batch, to tell repeats from new deliveries. Contract 6.7. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { type RecognisedDelivery, recogniseRepeats } from '../../domain/inbox/repeats.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/in-order.ts';
import { listHeldEvents, lockDeliveriesByKey } from '../../store/inbox/delivery-writes.ts';

export type Repeats = (delivery: Delivery) => RecognisedDelivery;

/**
 * Locks stored deliveries, so that no other process applies one of them at the same time. Of several new bodies with
 * one event id, the first in the list gets it.
 */
export async function lockRepeats(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<Repeats> {
  const events = deliveries.flatMap(({ accountId, provider, eventId }) =>
    eventId === null ? [] : [{ accountId, provider, eventId }],
  );
  // Event ids are read after the lock, so that they include those of the transactions it waited for.
  const [stored, takenEvents] = await inOrder([
    () => lockDeliveriesByKey(tx, deliveries),
    () => listHeldEvents(tx, events),
  ]);
  const recognised = recogniseRepeats(deliveries, stored, takenEvents);
  return (delivery) => recognised.get(delivery.deliveryId) ?? isNew(delivery);
}

function isNew(delivery: Delivery): RecognisedDelivery {
  return { repeated: undefined, fresh: delivery };
}
