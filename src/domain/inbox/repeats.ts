/**
 * Which deliveries are repeats. The body decides, because the provider's event id is not signed: the same body is the
 * same delivery under any event id, and an event id that comes with another body is reused. Contract 6.7.
 */
import { withFlags } from '../payments/transaction.ts';
import { type Delivery, type DeliveryResult, isUnfinished } from './delivery.ts';

/** Deliveries of one key are repeats of each other. */
export type RepeatKey = Pick<Delivery, 'accountId' | 'provider' | 'deliveryKey'>;
export type ProviderEventKey = Pick<Delivery, 'accountId' | 'provider'> & {
  readonly eventId: string;
};

export type RecognisedDelivery = {
  readonly repeated: Delivery | undefined;
  readonly fresh: Delivery;
};

/** By delivery id. Of several new bodies with one event id, the first in the list gets it. */
export function recogniseRepeats(
  deliveries: readonly Delivery[],
  stored: readonly Delivery[],
  takenEvents: readonly ProviderEventKey[],
): ReadonlyMap<string, RecognisedDelivery> {
  const storedByKey = new Map(stored.map((delivery) => [keyOf(delivery), delivery]));
  const taken = new Set(
    takenEvents.map(({ eventId, ...owner }) => keyOf({ ...owner, deliveryKey: eventId })),
  );
  const recognised = new Map<string, RecognisedDelivery>();
  for (const delivery of deliveries) {
    const { accountId, provider, eventId } = delivery;
    const event =
      eventId === null ? undefined : keyOf({ accountId, provider, deliveryKey: eventId });
    const repeated = storedByKey.get(keyOf(delivery));
    const isReused = event !== undefined && taken.has(event);
    // Its event id came before with another body. It may be the genuine one, so it is applied, and flagged.
    const flags = isReused ? withFlags(delivery.flags, ['event_id_reused']) : delivery.flags;
    const fresh = isReused ? { ...delivery, eventId: null, flags } : delivery;
    recognised.set(delivery.deliveryId, { repeated, fresh });
    if (event !== undefined && !repeated) taken.add(event);
  }
  return recognised;
}

export function keyOf({ accountId, provider, deliveryKey }: RepeatKey): string {
  return `${accountId}/${provider}/${deliveryKey}`;
}

/** The flag stays on the delivery, whatever the result of applying it is. */
export function withReusedEventFlag(delivery: Delivery, result: DeliveryResult): DeliveryResult {
  if (!delivery.flags.includes('event_id_reused')) return result;
  const wasApplied = delivery.orderId !== null;
  if (result.state === 'stale' && wasApplied) return result;
  const flags = withFlags(result.flags, ['event_id_reused']);
  if (isUnfinished(result.state)) return { ...result, flags };
  const why = [result.why, 'its event id came before with another body'].filter(Boolean).join('; ');
  return { ...result, flags, state: 'needs_review', why };
}
