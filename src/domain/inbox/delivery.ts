/** A delivery: one HTTP call of a provider as the inbox stores it, and its states. */
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
  'resolved',
  /** Dead for so long that its body was deleted. */
  'expired',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Not applied yet: it will be tried again, or all tries have failed. */
export function isUnfinished(state: DeliveryState): boolean {
  return state === 'received' || state === 'parked' || state === 'dead';
}

export type Delivery = {
  readonly accountId: string;
  readonly deliveryId: string;
  readonly provider: ProviderName;
  /** Identifies repeats: the digest of the body, or the key that the provider's translator found in it. */
  readonly deliveryKey: string;
  /** The provider's event id, stored with the first body that has it; null for other bodies, and without an id. */
  readonly eventId: string | null;
  readonly state: DeliveryState;
  readonly why: string | null;
  readonly flags: readonly ReviewFlag[];
  /** Headers and body are null once pruned. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly body: Buffer | null;
  /** The account's setting when the delivery arrived: a later change must not change what the delivery means. */
  readonly expectedMerchant: string | null;
  readonly orderId: string | null;
  readonly tries: number;
  readonly nextTryAt: Date | null;
  readonly receivedAt: Date;
  /** Null while a retry is planned. */
  readonly finishedAt: Date | null;
  /** Personal data was erased from the body, so it differs from the body that was received. */
  readonly isErased?: boolean;
};

export type DeliveryKey = Pick<Delivery, 'accountId' | 'deliveryId'>;

export type DeliveryResult = Pick<
  Delivery,
  'state' | 'why' | 'flags' | 'orderId' | 'tries' | 'nextTryAt' | 'finishedAt'
>;
