/**
 * Receives one delivery of a provider, or of a bearer caller: proved, readable, kept and applied, and only
 * then answered. Contract 6.3.
 */

import type { Account } from '../../domain/accounts/account.ts';
import { maskCardNumbers } from '../../domain/cards/card-numbers.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Delivery, DeliveryCaller, ReceivedDelivery } from '../../domain/inbox/delivery.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import type { Provider, RawDelivery } from '../../providers/provider.ts';
import { getProvider, providers } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';

import { authenticateDelivery, type DeliveryClaims } from './authenticate-delivery.ts';

import { digestOf, newDelivery, storeDelivery } from './store-delivery.ts';
import { translateDelivery } from './translate-delivery.ts';

/** The providers whose deliveries can be received, for the paths they call. */
export const deliveryProviders: readonly Pick<
  Provider,
  'name' | 'displayName' | 'deliverySchema' | 'proofHeader'
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
  const delivery = toDelivery(services, account, provider, raw);
  refuseUnreadable(services, delivery, caller);
  const received = await storeDelivery(services, delivery, caller);
  services.counters.noteDelivery(provider.name, delivery.receivedAt);
  return received;
}

function toDelivery(
  services: Services,
  account: Account,
  provider: Provider,
  raw: RawDelivery,
): Delivery {
  const eventId = provider.findEventId(raw);
  const contentKey = eventId === undefined ? provider.findContentKey(raw) : undefined;
  return newDelivery(services, account, provider.name, {
    // Before anything is masked: two bodies that differ only in what is masked are two deliveries.
    key: contentKey ?? digestOf(raw.body),
    eventId,
    headers: storedHeadersOf(provider, raw, eventId),
    body: raw.body,
  });
}

/** Never the proofs: a signature or a shared secret has no business in the inbox. Only the event id is a reference. */
function storedHeadersOf(
  { storedHeaders }: Provider,
  { headers }: RawDelivery,
  eventId: string | undefined,
) {
  const kept: Record<string, string> = {};
  for (const name of storedHeaders) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value === eventId ? value : maskCardNumbers(value);
  }
  return kept;
}

/** What can never be right is refused before anything is kept. Contract 6.5. */
function refuseUnreadable(services: Services, delivery: Delivery, caller: DeliveryCaller): void {
  const translation = translateSafely(delivery);
  if (translation?.kind === 'unreadable') {
    const { accountId: claimedAccountId, provider } = delivery;
    const reason = 'the body cannot be read';
    services.warnings.refusedWebhook({ provider, claimedAccountId, reason });
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery cannot be read: ${translation.why}.`,
    );
  }
  const isForeign =
    translation && 'isForeignEvent' in translation && translation.isForeignEvent === true;
  if (isForeign && caller === 'bearer') {
    throw new ServiceError(
      'INVALID_REQUEST_PARAMETER',
      `The delivery is refused: ${translation.why}.`,
    );
  }
}

/** A translator that fails is a defect of ours; the delivery is then kept for later. */
function translateSafely(delivery: Delivery) {
  try {
    return translateDelivery(delivery);
  } catch {
    return undefined;
  }
}
