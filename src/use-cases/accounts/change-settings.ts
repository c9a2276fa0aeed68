/**
 * An owner changes settings of their account. It is what `account update` does, with two more rules for providers,
 * because an owner is not the operator of the service. Contract 13.8, docs/decisions/0049.
 */
import type { AccountSettings } from '../../domain/accounts/account.ts';
import { findColour } from '../../domain/accounts/colour.ts';
import type { RequestedRate } from '../../domain/accounts/exchange-rates.ts';
import type { Actor } from '../../domain/audit.ts';
import { refuseField } from '../../domain/errors.ts';
import type { ProviderName } from '../../domain/provider-name.ts';
import { findOrigin } from '../../domain/web-address.ts';
import { changeProviderSettings, type GivenOptions } from '../../providers/account-settings.ts';
import { providers } from '../../providers/providers.ts';
import { listOptions } from '../../providers/settings.ts';
import type { Services } from '../../services/services.ts';
import type { StoredAccount } from '../../store/accounts/accounts.ts';
import { checkProviderAddresses } from './check-provider-addresses.ts';
import type { ApiSecrets } from './create-account.ts';
import { updateAccount } from './update-account.ts';

/** The limit of calls is not among them: it protects the service, and is the operator's to set. */
type OwnSettings = Omit<
  AccountSettings,
  'alternateCurrencies' | 'paymentModes' | 'providerApis' | 'providerSettings' | 'requestsPerSecond'
>;

export type RequestedSettings = Partial<OwnSettings> & {
  readonly alternateCurrencies?: readonly RequestedRate[];
  /** Those to change; null for a mode that is no longer offered. */
  readonly paymentModes?: Readonly<Record<string, ProviderName | null>>;
  /** By the names of the options of the command line, secrets included. */
  readonly providerOptions?: Readonly<Record<string, string>>;
  readonly logo?: Buffer | null;
};

export async function changeSettings(
  services: Pick<Services, 'database' | 'masterKeys' | 'clock' | 'settings'>,
  accountId: string,
  { paymentModes, providerOptions = {}, logo, ...requested }: RequestedSettings,
  actor: Actor,
): Promise<void> {
  const { apiSecrets, given } = readProviderOptions(providerOptions);
  const decideChange = (account: StoredAccount): Partial<AccountSettings> => {
    const modes = Object.entries({ ...account.paymentModes, ...paymentModes });
    const offered = modes.filter(([, provider]) => provider !== null);
    const ofProviders = changeProviderSettings(given, account, (url, login) =>
      refuseField(url, `needs ${login}: the account has none`),
    );
    const after = { providerApis: {}, ...ofProviders };
    checkProviderAddresses(services.settings, 'owner', account, after);
    requireSecrets(account, ofProviders, apiSecrets);
    return {
      ...requested,
      ...spellAlike(requested),
      ...(paymentModes && { paymentModes: Object.fromEntries(offered) }),
      ...ofProviders,
    };
  };
  await updateAccount(services, accountId, decideChange, actor, { apiSecrets, logo });
}

/** In the spelling in which they are stored. What has none is refused later, as it was written. */
function spellAlike({ colour, callbackOrigins, frameOrigins }: Partial<OwnSettings>) {
  const origins = (texts: readonly string[]) => [
    ...new Set(texts.map((text) => findOrigin(text) ?? text)),
  ];
  return {
    ...(colour && { colour: findColour(colour) ?? colour }),
    ...(callbackOrigins && { callbackOrigins: origins(callbackOrigins) }),
    ...(frameOrigins && { frameOrigins: origins(frameOrigins) }),
  };
}

function readProviderOptions(options: Readonly<Record<string, string>>) {
  const known = providers.flatMap(({ settings }) => listOptions(settings));
  const kinds = providers.map(({ settings }) => settings.apiSecret.option);
  const apiSecrets: Record<string, string> = {};
  const given: Record<string, string> = {};
  for (const [option, value] of Object.entries(options)) {
    if (!known.includes(option)) refuseField(option, 'is not a setting of a provider');
    if (!kinds.includes(option)) given[option] = value;
    else if (/^\P{Cc}+$/u.test(value) && value.trim() !== '') apiSecrets[option] = value;
    else refuseField(option, 'must have at least one character, and no line breaks');
  }
  return { apiSecrets: apiSecrets as ApiSecrets, given: given as GivenOptions };
}

/**
 * The service sends the secret of a provider to the address of that provider. So another address needs the secret again:
 * an owner who may replace the secret must not learn it.
 */
function requireSecrets(
  account: StoredAccount,
  { providerApis = {} }: Partial<AccountSettings>,
  apiSecrets: ApiSecrets,
): void {
  for (const { name, settings } of providers) {
    const [before, after] = [account.providerApis[name], providerApis[name]];
    if (!after || (after.url === before?.url && after.login === before.login)) continue;
    const { option } = settings.apiSecret;
    const isStored = account.secrets.some(({ kind }) => kind === option);
    if (isStored && apiSecrets[option] === undefined) {
      refuseField(option, 'must be given again together with another login or address');
    }
  }
}
