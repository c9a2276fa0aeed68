/** How an account reaches a provider's API: URL, login and secret. */
import { type Account, liveSecrets } from '../domain/accounts/account.ts';
import type { PaymentModeCode } from '../domain/payment-mode.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import { readProviderValues } from '../providers/account-settings.ts';
import type { ProviderApi } from '../providers/call.ts';
import { getProvider } from '../providers/providers.ts';
import type { Services } from './services.ts';

/** Undefined if the account has no settings for that provider. */
export function findProviderApi(
  services: Pick<Services, 'callProvider' | 'clock'>,
  account: Account,
  provider: ProviderName,
): ProviderApi | undefined {
  const address = account.providerApis[provider];
  const secret = findApiSecret(account, provider, services.clock());
  if (!address || secret === undefined) return undefined;
  const settings = readProviderValues(account, provider);
  return { ...address, secret, settings, callProvider: services.callProvider };
}

function findApiSecret(account: Account, provider: ProviderName, now: Date): string | undefined {
  const { apiSecret } = getProvider(provider).settings;
  return liveSecrets(account, apiSecret.option, now)[0];
}

/** Whether the account has settings for that provider. */
export function canReach(account: Account, provider: ProviderName, now: Date): boolean {
  return (
    account.providerApis[provider] !== undefined &&
    findApiSecret(account, provider, now) !== undefined
  );
}

/** The provider of a payment mode. Undefined if the account has no settings for it, so that the mode is not offered. */
export function findRoute(
  services: Pick<Services, 'callProvider' | 'clock'>,
  account: Account,
  code: PaymentModeCode,
): { readonly provider: ProviderName; readonly api: ProviderApi } | undefined {
  const provider = account.paymentModes[code];
  const api = provider === undefined ? undefined : findProviderApi(services, account, provider);
  return provider !== undefined && api ? { provider, api } : undefined;
}

/** The URL for the provider's webhooks of this account. */
export function webhookUrlOf(
  { settings }: Pick<Services, 'settings'>,
  provider: ProviderName,
  accountId: string,
): string {
  return `${settings.publicUrl}/api/v3/webhooks/${provider}/${accountId}`;
}
