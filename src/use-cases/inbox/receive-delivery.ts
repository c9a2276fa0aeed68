/**
 * Receives one delivery of a provider, or of a bearer caller: authenticates, translates, stores and applies it, and
 * answers only then. Contract 6.3. The transaction that stores and applies it is in store-batch.ts.
 */
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { ServiceError } from '../../domain/errors.ts';
import type {
  DeliveryCaller,
  ReceivedDelivery,
  TranslatedDelivery,
} from '../../domain/inbox/incoming.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Provider, RawDelivery } from '../../providers/provider.ts';
import { getProvider, providers } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { authenticateDelivery, type DeliveryClaims } from './authenticate-delivery.ts';
import { digestOf, newDelivery } from './new-delivery.ts';
import { storeDelivery } from './store-delivery.ts';
import { tryTranslate } from './translate-delivery.ts';

/** The providers whose deliveries can be received, for the routes. */
export const deliveryProviders: readonly Pick<
  Provider,
  'name' | 'displayName' | 'documentation' | 'proofHeader'
>[] = providers;
export type DeliveryProvider = (typeof deliveryProviders)[number];
export type { RawDelivery };

export async function receiveDelivery(
  services: Services,
  providerName: ProviderName,
  raw: RawDelivery,
  claims: DeliveryClaims,
): Promise<ReceivedDelivery> {
  const provider = getProvider(providerName);
  const { account, caller } = await authenticateDelivery(services, provider, raw, claims);
  const eventId = provider.findEventId(raw);
  const contentKey = eventId === undefined ? provider.findContentKey(raw) : undefined;
  // The digest is of the body before masking: two bodies that differ only in masked parts are two deliveries.
  const key = contentKey ?? digestOf(raw.body);
  const headers = storedHeadersOf(provider, raw, eventId);
  const stored = { key, eventId, headers, body: raw.body };
  const delivery = newDelivery(services, account, provider.name, stored);
  const translated = tryTranslate(delivery);
  if ('translation' in translated) refuseUnreadable(services, translated, caller);
  const received = await storeDelivery(services, translated, caller);
  services.counters.noteDelivery(provider.name, delivery.receivedAt);
  return received;
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
  { warnings }: Pick<Services, 'warnings'>,
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
  if (caller === 'bearer' && 'isForeignEvent' in translation && translation.isForeignEvent) {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery is refused: ${translation.why}.`,
    );
  }
}
