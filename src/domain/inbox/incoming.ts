/** A delivery on its way into the inbox: what it means, who sent it, and what is answered. Contract 6.3 and 6.5. */
import type { ServiceError } from '../errors.ts';
import { type Delivery, type DeliveryState, isUnfinished } from './delivery.ts';
import type { Translation } from './translation.ts';

/** Translated once, when it is received or loaded for a retry. */
export type TranslatedDelivery = {
  readonly delivery: Delivery;
  readonly translation: Translation;
};

/** A delivery of a provider is always stored; one of a bearer caller may be refused. */
export type DeliveryCaller = 'provider' | 'bearer';

export type Incoming = TranslatedDelivery & { readonly caller: DeliveryCaller };

/** A bearer caller gets an error for a delivery that cannot be applied yet; a provider's is stored. Contract 6.5. */
export function isRefused(caller: DeliveryCaller, state: DeliveryState): boolean {
  return caller === 'bearer' && isUnfinished(state);
}

export type ReceivedDelivery = ReturnType<typeof answerOf>;

export type StoredDelivery = {
  readonly received: ReceivedDelivery;
  /** It is parked, and what it names has become known while it was stored. */
  readonly isKnownNow: boolean;
  /** Parked deliveries that can be applied now, because of a name that this one made known. */
  readonly toUnpark: readonly string[];
};

export type StoredOrRefused = StoredDelivery | { readonly refusal: ServiceError };

export function answerOf(
  { deliveryId, orderId, why }: Pick<Delivery, 'deliveryId' | 'orderId' | 'why'>,
  outcome: DeliveryState | 'duplicate',
) {
  return { status: statusOf(outcome), deliveryId, orderId, why };
}

/** A provider may read the answer, so it does not say that a person closed the delivery. */
function statusOf(outcome: DeliveryState | 'duplicate') {
  switch (outcome) {
    case 'received':
    case 'dead':
      return 'parked';
    case 'resolved':
    case 'expired':
      return 'duplicate';
    default:
      return outcome;
  }
}
