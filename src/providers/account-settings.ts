/** What the registered providers mean for the settings and secrets of an account. */
import {
  type AccountSettings,
  checkSettings,
  ownSecretKinds,
  type ProviderAddress,
  type ProviderValues,
  type SecretKind,
} from '../domain/accounts/account.ts';
import { isEndpointSecretKind } from '../domain/accounts/endpoint.ts';
import { refuseField } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Provider } from './provider.ts';
import { getProvider, providers } from './providers.ts';
import { findStoredLogin, listSecretKinds } from './settings.ts';

/** The secrets that the service generates; each can be rotated with an overlap. */
export function listRotatableSecretKinds(): SecretKind[] {
  return ['access-secret', ...providers.map(({ settings }) => settings.webhookSecret)];
}

export function isSecretKind(kind: SecretKind): boolean {
  const kinds = providers.flatMap(({ settings }) => listSecretKinds(settings));
  return isEndpointSecretKind(kind) || [...ownSecretKinds, ...kinds].includes(kind);
}

/** The addresses of the real providers, where a provider has one. */
export function listDefaultUrls(): string[] {
  return providers.flatMap(({ settings: { apiUrl } }) => apiUrl.defaultValue ?? []);
}

export function defaultPaymentModes(): AccountSettings['paymentModes'] {
  const modes: Record<string, ProviderName> = {};
  for (const { name, settings } of providers) {
    for (const code of settings.defaultModes) modes[code] ??= name;
  }
  return modes;
}

/** The plain settings of the demo account, where they differ from the defaults. */
export function demoProviderSettings(): AccountSettings['providerSettings'] {
  const chosen: Record<ProviderName, ProviderValues> = {};
  for (const { name, settings } of providers) {
    for (const { name: setting, demoValue } of settings.plain) {
      if (demoValue !== undefined) chosen[name] = { ...chosen[name], [setting]: demoValue };
    }
  }
  return chosen;
}

/** The plain settings of an account for one provider, with the defaults of those that it has not set. */
export function readProviderValues(
  { providerSettings }: Pick<AccountSettings, 'providerSettings'>,
  name: ProviderName,
): ProviderValues {
  const values: Record<string, string> = {};
  for (const { name: setting, defaultValue } of getProvider(name).settings.plain) {
    const value = providerSettings[name]?.[setting] ?? defaultValue;
    if (value !== undefined) values[setting] = value;
  }
  return values;
}

/** The merchant that a provider's deliveries must name; undefined where any will do. */
export function findExpectedMerchant(
  account: Pick<AccountSettings, 'providerSettings'>,
  name: ProviderName,
): string | undefined {
  const { merchantSetting } = getProvider(name).settings;
  return merchantSetting && readProviderValues(account, name)[merchantSetting];
}

/** Refuses settings that could not work, and those of a provider that does not exist. */
export function checkProviderSettings(settings: AccountSettings): AccountSettings {
  const { paymentModes, providerApis, providerSettings } = checkSettings(settings);
  const named = [
    ...Object.values(paymentModes).filter((name) => name !== undefined),
    ...Object.keys(providerApis),
    ...Object.keys(providerSettings),
  ];
  for (const name of named) {
    if (!providers.some((known) => known.name === name)) refuseField(name, 'is not a provider');
  }
  for (const [provider, values] of Object.entries(providerSettings)) {
    const { plain } = getProvider(provider).settings;
    for (const [setting, value] of Object.entries(values)) {
      const described = plain.find(({ name }) => name === setting);
      const fault = described ? described.findFault?.(value) : 'is not a setting';
      if (fault !== undefined) refuseField(`${provider} ${setting}`, fault);
    }
  }
  return settings;
}

/** Options of providers, from the command line or the dashboard, without the leading dashes. */
export type GivenOptions = Readonly<Record<string, string | undefined>>;

export type ProviderSettingsBefore = Pick<AccountSettings, 'providerApis' | 'providerSettings'>;

/** Only what the options change. `refuseLoneUrl` gets the option of a URL, and that of the login which it needs. */
export function changeProviderSettings(
  given: GivenOptions,
  before: ProviderSettingsBefore,
  refuseLoneUrl: (urlOption: string, loginOption: string) => never,
): Partial<AccountSettings> {
  const apis: Record<ProviderName, ProviderAddress> = {};
  const settings: Record<ProviderName, ProviderValues> = {};
  for (const provider of providers) {
    const api = readAddress(provider, given, before, refuseLoneUrl);
    const values = readPlainSettings(provider, given, before);
    if (api) apis[provider.name] = api;
    if (values) settings[provider.name] = values;
  }
  const isNamed = (record: object) => Object.keys(record).length > 0;
  return {
    ...(isNamed(apis) && { providerApis: { ...before.providerApis, ...apis } }),
    ...(isNamed(settings) && { providerSettings: { ...before.providerSettings, ...settings } }),
  };
}

/** Undefined when no option was given, or when the login is still missing. */
function readAddress(
  { name, settings }: Provider,
  given: GivenOptions,
  { providerApis, providerSettings }: ProviderSettingsBefore,
  refuseLoneUrl: Parameters<typeof changeProviderSettings>[2],
): ProviderAddress | undefined {
  const { login: loginSetting, apiUrl } = settings;
  const [givenLogin, givenUrl] = [given[loginSetting.option], given[apiUrl.option]];
  if (givenLogin === undefined && givenUrl === undefined) return undefined;
  const before = providerApis[name];
  const storedLogin = givenUrl ? findStoredLogin(settings, providerSettings[name]) : undefined;
  const login = givenLogin ?? storedLogin ?? before?.login;
  // A new login belongs to the real provider, unless another URL comes with it.
  const usual = givenLogin === undefined ? undefined : apiUrl.defaultValue;
  const url = givenUrl ?? usual ?? before?.url;
  if (url !== undefined && login) return { url, login };
  if (givenUrl !== undefined) refuseLoneUrl(apiUrl.option, loginSetting.option);
  return undefined;
}

/** Undefined when no option was given; an empty value removes a setting. */
function readPlainSettings(
  { name, settings }: Provider,
  given: GivenOptions,
  before: ProviderSettingsBefore,
): ProviderValues | undefined {
  const named = settings.plain.filter(({ option }) => given[option] !== undefined);
  if (named.length === 0) return undefined;
  const values: Record<string, string> = { ...before.providerSettings[name] };
  for (const { name: setting, option } of named) {
    const value = given[option];
    if (value) values[setting] = value;
    else delete values[setting];
  }
  return values;
}
