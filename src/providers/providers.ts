/** Every provider there is: adding one is a folder and a line here. */
import type { ProviderName } from '../domain/provider-name.ts';
import { bankGateway } from './bank-gateway/bank-gateway.ts';
import { partner } from './partner/partner.ts';
import type { Provider } from './provider.ts';

export const providers: readonly Provider[] = [partner, bankGateway];

export function getProvider(name: ProviderName): Provider {
  const provider = providers.find((known) => known.name === name);
  if (!provider) throw new Error(`there is no provider ${name}`);
  return provider;
}
