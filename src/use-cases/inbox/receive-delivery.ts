/**
 * Receives one delivery of a provider, or of a bearer caller: authenticates, translates, stores and applies it, and
 * answers only then. Contract 6.3. The transaction that stores and applies it is in store-batch.ts.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type {
  DeliveryCaller,
  ReceivedDelivery,
  TranslatedDelivery,
} from '../../domain/inbox/incoming.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Provider, RawDelivery } from '../../providers/provider.ts';
import { getProvider, providers } from '../../providers/providers.ts';
import type { Counters } from '../../services/counters.ts';
import type { Warnings } from '../../services/warnings.ts';
import {
  type AuthenticateDeliveryNeeds,
  authenticateDelivery,
  type DeliveryClaims,
} from './authenticate-delivery.ts';
import { digestOf, type NewDeliveryNeeds, newDelivery } from './new-delivery.ts';
import { type StoreDeliveryNeeds, storeDelivery } from './store-delivery.ts';
import { tryTranslate } from './translate-delivery.ts';

/** The providers whose deliveries can be received, for the routes. */
export const deliveryProviders: readonly Pick<
  Provider,
  'name' | 'displayName' | 'documentation' | 'proofHeader'
>[] = providers;
export type DeliveryProvider = (typeof deliveryProviders)[number];
export type { RawDelivery };

export type ReceiveDeliveryNeeds = AuthenticateDeliveryNeeds &
  NewDeliveryNeeds &
  StoreDeliveryNeeds & {
    readonly counters: Pick<Counters, 'noteDelivery'>;
    readonly warnings: Pick<Warnings, 'refusedWebhook'>;
  };

export async function receiveDelivery(
  needs: ReceiveDeliveryNeeds,
  providerName: ProviderName,
  raw: RawDelivery,
  claims: DeliveryClaims,
): Promise<ReceivedDelivery> {
  const provider = getProvider(providerName);
  const { account, caller } = await authenticateDelivery(needs, provider, raw, claims);
  const delivery = toDelivery(needs, account, provider, raw);
  const translated = tryTranslate(delivery);
  if ('translation' in translated) refuseUnreadable(needs, translated, caller);
  const received = await storeDelivery(needs, translated, caller);
  needs.counters.noteDelivery(provider.name, delivery.receivedAt);
  return received;
}

function toDelivery(
  needs: NewDeliveryNeeds,
  account: Account,
  provider: Provider,
  raw: RawDelivery,
): Delivery {
  const eventId = provider.findEventId(raw);
  const contentKey = eventId === undefined ? provider.findContentKey(raw) : undefined;
  return newDelivery(needs, account, provider.name, {
    // The digest is of the body before masking: two bodies that differ only in masked parts are two deliveries.
    key: contentKey ?? digestOf(raw.body),
    eventId,
    headers: storedHeadersOf(provider, raw, eventId),
    body: raw.body,
  });
}

/** Signatures and shared secrets are never stored. The event id is a reference, so it is not masked. */
function storedHeadersOf(
  { storedHeaders }: Provider,
  { headers }: RawDelivery,
  eventId: string | undefined,
): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const name of storedHeaders) {
    const value = headers[name];
    if (value !== undefined) stored[name] = value === eventId ? value : maskCardNumbers(value);
  }
  return stored;
}

/** A delivery that can never be applied is refused before anything is stored. Contract 6.5. */
function refuseUnreadable(
  { warnings }: ReceiveDeliveryNeeds,
  { delivery, translation }: TranslatedDelivery,
  caller: DeliveryCaller,
): void {
  if (translation.kind === 'unreadable') {
    const { accountId: claimedAccountId, provider } = delivery;
    const reason = 'the body cannot be read';
    warnings.refusedWebhook({ provider, claimedAccountId, reason });
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery cannot be read: ${translation.why}.`,
    );
  }
  const isForeign = 'isForeignEvent' in translation && translation.isForeignEvent === true;
  if (isForeign && caller === 'bearer') {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery is refused: ${translation.why}.`,
    );
  }
}
