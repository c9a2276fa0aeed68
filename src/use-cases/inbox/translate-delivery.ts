/** What the bytes of a delivery mean, and the same bytes without personal data, as its provider describes them. */
import { createScrub } from '../../domain/consumers/scrub.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { TranslatedDelivery } from '../../domain/inbox/incoming.ts';
import type { Replace } from '../../providers/erase.ts';
import { getProvider } from '../../providers/providers.ts';
import { mapWithPauses } from '../../services/event-loop.ts';

export function translateDelivery(delivery: Delivery): TranslatedDelivery {
  const { headers, body, provider, expectedMerchant } = delivery;
  if (!headers || !body) throw new Error('the body of a delivery was pruned');
  const raw = { headers, body };
  return { delivery, translation: getProvider(provider).translate(raw, { expectedMerchant }) };
}

/** With pauses: the bodies may be large, and nothing else can run while one is read. */
export function translateDeliveries(deliveries: readonly Delivery[]) {
  return mapWithPauses(deliveries, translateDelivery);
}

/** A delivery on which the translator threw. That is a defect of ours, and no reason to lose the delivery. */
export type UntranslatedDelivery = { readonly delivery: Delivery; readonly defect: unknown };

export function tryTranslate(delivery: Delivery): TranslatedDelivery | UntranslatedDelivery {
  try {
    return translateDelivery(delivery);
  } catch (defect) {
    return { delivery, defect };
  }
}

/** All fields but those that a provider lists as not personal are replaced; free texts lose the values of those fields. */
export function eraseDelivery(delivery: Delivery, replace?: Replace): Delivery {
  const { body, provider } = delivery;
  if (!body) return delivery;
  const { listPersonalValues, eraseBody } = getProvider(provider).erasing;
  return { ...delivery, body: eraseBody(body, createScrub(listPersonalValues(body)), replace) };
}
