/** A delivery: one HTTP call of a provider as the inbox stores it, its states, and what storing it came to. */
import type { ServiceError } from '../errors.ts';
import type { ProviderName } from '../provider-name.ts';
import type { ReviewFlag } from '../review-flag.ts';

export const deliveryStates = [
  'received',
  'processed',
  'stale',
  'ignored',
  'parked',
  'needs_review',
  'dead',
  /** Closed by a person. */
  'resolved',
  /** Dead for so long that its body was forgotten. */
  'expired',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Not applied yet: waits, or gave up waiting. */
export function isUnfinished(state: DeliveryState): boolean {
  return state === 'received' || state === 'parked' || state === 'dead';
}

export type Delivery = {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly provider: ProviderName;
  /** By this a repeat is known: the digest of the body, or what stands for it. */
  readonly deliveryKey: string;
  /** The provider's id, held by the first body that came under it; null for others, and where none came. */
  readonly eventId: string | null;
  readonly state: DeliveryState;
  readonly why: string | null;
  readonly flags: readonly ReviewFlag[];
  /** Both are null once pruned. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: Buffer | null;
  /** The account's setting when the delivery arrived: a later change must not change what the delivery means. */
  readonly expectedMerchant: string | null;
  readonly orderId: string | null;
  readonly tries: number;
  readonly nextTryAt: Date | null;
  readonly receivedAt: Date;
  /** Since when nothing more happens to it by itself; null while it waits. */
  readonly finishedAt: Date | null;
  /** Its body is not the one that came, but what an erasure left of it. */
  readonly isErased?: true;
};

/** What an attempt to apply a delivery came to. */
export type DeliveryResult = Pick<
  Delivery,
  'state' | 'why' | 'flags' | 'orderId' | 'tries' | 'nextTryAt' | 'finishedAt'
>;

/** Who brings it decides what is refused: a provider's call must not be, a bearer's may be. */
export type DeliveryCaller = 'provider' | 'bearer';

export type Incoming = { readonly delivery: Delivery; readonly caller: DeliveryCaller };

export type ReceivedDelivery = {
  readonly status:
    | Exclude<DeliveryState, 'received' | 'dead' | 'resolved' | 'expired'>
    | 'duplicate';
  readonly deliveryId: string;
  readonly orderId: string | null;
  readonly why: string | null;
};

export type StoredDelivery = {
  readonly received: ReceivedDelivery;
  readonly nextTryAt: Date | null;
  /** Deliveries that wait for a name which it made known. */
  readonly waiting: readonly string[];
};

/** A bearer caller is told at once of what a provider would be kept for. */
export type StoredOrRefused = StoredDelivery | { readonly refusal: ServiceError };
