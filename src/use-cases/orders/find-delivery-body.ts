/**
 * One delivery as it was received, beside what was understood of it. For a reader who may not see personal data, both are
 * masked as for an order token: the masked body is translated, so that nothing else can reach the notice.
 */

import { createScrub } from '../../domain/consumers/scrub.ts';
import type { Delivery, DeliveryKey } from '../../domain/inbox/delivery.ts';
import type { Translation } from '../../domain/inbox/translation.ts';
import { maskPersonal } from '../../providers/erase.ts';
import { getProvider } from '../../providers/providers.ts';
import type { Services } from '../../services/services.ts';
import { findDelivery } from '../../store/inbox/deliveries.ts';
import { tryTranslate } from '../inbox/translate-delivery.ts';

export type DeliveryBody = {
  readonly delivery: Omit<Delivery, 'headers' | 'body' | 'deliveryKey' | 'expectedMerchant'>;
  /** Never the proof. Null once pruned. */
  readonly headers: Readonly<Record<string, string>> | null;
  /** JSON or form data, with card numbers masked since it was stored. Null once pruned. */
  readonly body: string | null;
  /** The provider's name of what it reports. Null once pruned, or without one. */
  readonly event: string | null;
  /** What our translator makes of it. Null once the body is pruned, or if the translator fails. */
  readonly understood: Translation | null;
};

/** Undefined if the account has no such delivery. */
export async function findDeliveryBody(
  { database }: Pick<Services, 'database'>,
  { accountId, deliveryId }: DeliveryKey,
  { masked }: { readonly masked: boolean },
): Promise<DeliveryBody | undefined> {
  const stored = await findDelivery(database, accountId, deliveryId);
  if (!stored) return undefined;
  const shown = masked ? maskBody(stored) : stored;
  const { headers, body, deliveryKey: _key, expectedMerchant: _merchant, ...delivery } = shown;
  return {
    delivery,
    headers,
    body: body?.toString('utf8') ?? null,
    event: eventOf(stored),
    understood: headers && body ? translationOf(shown) : null,
  };
}

/** Only the fields that a provider lists as not personal stay; free texts lose the values of the personal fields. */
function maskBody(delivery: Delivery): Delivery {
  const { body, provider } = delivery;
  if (!body) return delivery;
  const { listPersonalValues, eraseBody } = getProvider(provider).erasing;
  return {
    ...delivery,
    body: eraseBody(body, createScrub(listPersonalValues(body)), maskPersonal),
  };
}

function eventOf({ headers, body, provider }: Delivery): string | null {
  return headers && body ? (getProvider(provider).findEventName({ headers, body }) ?? null) : null;
}

function translationOf(delivery: Delivery): Translation | null {
  const translated = tryTranslate(delivery);
  return 'translation' in translated ? translated.translation : null;
}
