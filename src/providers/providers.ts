/** The registry of providers. Adding one takes a folder and a line here. */
import type { ProviderName } from '../domain/provider-name.ts';
import { bankGateway } from './bank-gateway/bank-gateway.ts';
import { partner } from './partner/partner.ts';
import type { Provider } from './provider.ts';
import { listOptions, listSecretKinds } from './settings.ts';

const registered: Provider[] = [];

/** In the order in which they were registered. */
export const providers: readonly Provider[] = registered;

registerProvider(partner);
registerProvider(bankGateway);

/** Throws where two providers share a name, an option or a kind of secret: one would read the other's values. */
export function registerProvider(provider: Provider): void {
  const taken = new Set(registered.flatMap(namesOf));
  const shared = namesOf(provider).filter((name) => taken.has(name));
  if (shared.length > 0)
    throw new Error(`another provider already has the ${shared.join(', the ')}`);
  registered.push(provider);
}

function namesOf({ name, settings }: Provider): string[] {
  return [
    `name ${name}`,
    ...listOptions(settings).map((option) => `option --${option}`),
    ...listSecretKinds(settings).map((kind) => `kind of secret ${kind}`),
  ];
}

export function getProvider(name: ProviderName): Provider {
  const provider = providers.find((known) => known.name === name);
  if (!provider) throw new Error(`there is no provider ${name}`);
  return provider;
}
