/** A provider in the field names of the API: by the name that filters take, and by the one that people read. */
import type { ProviderName } from '../../domain/provider-name.ts';
import { deliveryProviders } from '../../use-cases/inbox/receive-delivery.ts';

export function providerView(provider: ProviderName) {
  const known = deliveryProviders.find(({ name }) => name === provider);
  return { provider, provider_name: known?.displayName ?? provider };
}
