/** Translates the bytes of a delivery into our own words, with the translator of its provider. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { TranslatedDelivery } from '../../domain/inbox/incoming.ts';
import { getProvider } from '../../providers/providers.ts';
import { mapWithPauses } from '../../services/event-loop.ts';

export function translateDelivery(delivery: Delivery): TranslatedDelivery {
  const { headers, body, provider, expectedMerchant } = delivery;
  if (!headers || !body) throw new Error('the body of a delivery was pruned');
  const raw = { headers, body };
  return { delivery, translation: getProvider(provider).translate(raw, { expectedMerchant }) };
}

/** With pauses: the bodies may be large, and nothing else can run while one is read. */
export function translateDeliveries(
  deliveries: readonly Delivery[],
): Promise<TranslatedDelivery[]> {
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
