/**
 * Which deliveries are repeats. The body decides, because the provider's event id is not signed: the same body is the
 * same delivery under any event id, and an event id that comes with another body is reused. Contract 6.7.
 */
import type { Delivery } from './delivery.ts';
import { withoutEventId } from './reused-event-id.ts';

export type DeliveryKey = Pick<Delivery, 'accountId' | 'provider' | 'deliveryKey'>;
export type EventKey = Pick<Delivery, 'accountId' | 'provider'> & { readonly eventId: string };

export type RecognisedDelivery = {
  /** The stored delivery that it repeats. */
  readonly repeated: Delivery | undefined;
  /** The delivery as it is stored if it repeats none. */
  readonly fresh: Delivery;
};

/** By delivery id. Of several new bodies with one event id, the first in the list gets it. */
export function recogniseRepeats(
  deliveries: readonly Delivery[],
  stored: readonly Delivery[],
  takenEvents: readonly EventKey[],
): ReadonlyMap<string, RecognisedDelivery> {
  const storedByKey = new Map(stored.map((delivery) => [keyOf(delivery), delivery]));
  const taken = new Set(takenEvents.map(eventKeyOf));
  const recognised = new Map<string, RecognisedDelivery>();
  for (const delivery of deliveries) {
    const event = findEventKey(delivery);
    const repeated = storedByKey.get(keyOf(delivery));
    const isReused = event !== undefined && taken.has(event);
    const fresh = isReused ? withoutEventId(delivery) : delivery;
    recognised.set(delivery.deliveryId, { repeated, fresh });
    if (event !== undefined && !repeated) taken.add(event);
  }
  return recognised;
}

/** As one text, for the keys of maps. */
export function keyOf({ accountId, provider, deliveryKey }: DeliveryKey): string {
  return `${accountId}/${provider}/${deliveryKey}`;
}

function eventKeyOf({ eventId, ...owner }: EventKey): string {
  return keyOf({ ...owner, deliveryKey: eventId });
}

function findEventKey({ accountId, provider, eventId }: Delivery): string | undefined {
  return eventId === null ? undefined : keyOf({ accountId, provider, deliveryKey: eventId });
}
