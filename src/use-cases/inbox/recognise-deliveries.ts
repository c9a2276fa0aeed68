/**
 * Finds out which deliveries are repeats. The body decides, because the provider's event id is not signed: the same body is
 * the same delivery under whatever id it comes, and an id that comes with another body is reused. Contract 6.7.
 */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { withFlags } from '../../domain/transactions/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';

import {
  type DeliveryKey,
  listHeldEvents,
  lockDeliveriesByKey,
} from '../../store/delivery-writes.ts';

export type Recognised = {
  /** The stored delivery that it repeats. */
  readonly known: Delivery | undefined;
  /** As it is stored when it repeats none. */
  readonly fresh: Delivery;
};

/**
 * Both statements leave in one turn, so that recognising costs one round trip. Of several new bodies under one id the
 * first in the list holds it.
 */
export async function recogniseDeliveries(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<(delivery: Delivery) => Recognised> {
  const [locked, held] = await Promise.all([
    lockDeliveriesByKey(tx, deliveries.flatMap(listKeys)),
    listHeldEvents(
      tx,
      deliveries.flatMap(({ accountId, provider, eventId }) =>
        eventId === null ? [] : [{ accountId, provider, eventId }],
      ),
    ),
  ]);
  const stored = new Map(locked.map((delivery) => [keyOf(delivery), delivery]));
  const taken = new Set(
    held.map(({ eventId, ...owner }) => keyOf({ ...owner, deliveryKey: eventId })),
  );
  const recognised = new Map<Delivery, Recognised>();
  for (const delivery of deliveries) {
    const known = findKnown(delivery, stored);
    const name = nameEvent(delivery);
    const isReused = name !== undefined && (taken.has(name) || stored.has(name));
    recognised.set(delivery, { known, fresh: isReused ? withoutEventId(delivery) : delivery });
    if (name !== undefined && !known) taken.add(name);
  }
  return (delivery) => recognised.get(delivery) ?? { known: undefined, fresh: delivery };
}

/** Rows stored before bodies identified deliveries have the event id as their key. */
function listKeys(delivery: Delivery): DeliveryKey[] {
  const { accountId, provider, eventId } = delivery;
  return eventId === null ? [delivery] : [delivery, { accountId, provider, deliveryKey: eventId }];
}

function findKnown(
  delivery: Delivery,
  stored: ReadonlyMap<string, Delivery>,
): Delivery | undefined {
  const sameBody = stored.get(keyOf(delivery));
  if (sameBody) return sameBody;
  const sameId = stored.get(nameEvent(delivery) ?? '');
  if (!sameId) return undefined;
  // Where the body was pruned or erased, only the id can tell.
  const isGone = !sameId.body || sameId.isErased;
  const isRepeat = isGone || !delivery.body || sameId.body?.equals(delivery.body);
  return isRepeat ? sameId : undefined;
}

/** Applied like any other, for it may be the genuine one, and flagged for review. */
function withoutEventId(delivery: Delivery): Delivery {
  return { ...delivery, eventId: null, flags: withFlags(delivery.flags, ['event_id_reused']) };
}

function nameEvent({ accountId, provider, eventId }: Delivery): string | undefined {
  return eventId === null ? undefined : keyOf({ accountId, provider, deliveryKey: eventId });
}

/** A delivery of any account as one text, for maps. */
export function keyOf({ accountId, provider, deliveryKey }: DeliveryKey): string {
  return `${accountId}/${provider}/${deliveryKey}`;
}
