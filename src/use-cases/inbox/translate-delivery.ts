/** What a kept delivery means. Asked for when it is received and again when it is applied, read once. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { Translation } from '../../providers/provider.ts';
import { getProvider } from '../../providers/providers.ts';

const known = new WeakMap<Delivery, Translation>();

export function translateDelivery(delivery: Delivery): Translation {
  const before = known.get(delivery);
  if (before) return before;
  const { headers, body } = delivery;
  if (!headers || !body) throw new Error('the body of a delivery was pruned');
  const raw = { headers, body };
  const { provider, expectedMerchant } = delivery;
  const translation = getProvider(provider).translate(raw, { expectedMerchant });
  known.set(delivery, translation);
  return translation;
}
