/** An account's settings as the command line prints them. */
import type { Account, AccountSettings } from '../../domain/accounts/account.ts';
import { accessKeyOf } from '../../domain/ids.ts';
import { brandingView } from './branding-options.ts';
import { plainSettingsView } from './provider-options.ts';

export function accountView(account: AccountSettings & Pick<Account, 'accountId' | 'logo'>) {
  return {
    account_id: account.accountId,
    name: account.name,
    access_key: accessKeyOf(account.accountId),
    optional_order_details: account.optionalOrderDetails,
    encrypted_payloads: account.encryptedPayloads,
    signature_version: account.signatureVersion,
    ...plainSettingsView(account),
    requests_per_second: account.requestsPerSecond ?? 'off',
    alternate_currencies: account.alternateCurrencies.map(
      ({ from, to, rate }) => `${from}:${to}:${rate}`,
    ),
    payment_modes: Object.entries(account.paymentModes).map(
      ([code, provider]) => `${code}:${provider}`,
    ),
    provider_apis: Object.entries(account.providerApis).map(
      ([provider, { url, login }]) => `${provider}:${login}@${url}`,
    ),
    callback_origins: account.callbackOrigins,
    ...brandingView(account),
  };
}
