/** Applies options of providers to the settings of an account: those of the command line and of the dashboard. */
import type {
  AccountSettings,
  ProviderAddress,
  ProviderValues,
} from '../domain/accounts/account.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import type { Provider } from './provider.ts';
import { providers } from './providers.ts';
import { findStoredLogin } from './settings.ts';

/** By option, without the leading dashes. */
export type GivenOptions = Readonly<Record<string, string | undefined>>;

export type ProviderSettingsBefore = Pick<AccountSettings, 'providerApis' | 'providerSettings'>;

/** Throws. Gets the option of the URL, and that of the login which it needs. */
type RefuseLoneUrl = (urlOption: string, loginOption: string) => never;

/** Only what the options change. */
export function changeProviderSettings(
  given: GivenOptions,
  before: ProviderSettingsBefore,
  refuseLoneUrl: RefuseLoneUrl,
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

function readAddress(
  { name, settings }: Provider,
  given: GivenOptions,
  before: ProviderSettingsBefore,
  refuseLoneUrl: RefuseLoneUrl,
): ProviderAddress | undefined {
  const { login: loginSetting, apiUrl } = settings;
  const [login, url] = [given[loginSetting.option], given[apiUrl.option]];
  const storedLogin = url ? findStoredLogin(settings, before.providerSettings[name]) : undefined;
  const address = changeAddress(before.providerApis[name], {
    // A new login belongs to the real provider, unless another URL comes with it.
    url: url ?? (login === undefined ? undefined : apiUrl.defaultValue),
    login: login ?? storedLogin,
  });
  if (url !== undefined && !address) refuseLoneUrl(apiUrl.option, loginSetting.option);
  return address;
}

/** Undefined when no option was given, or when the URL or the login is still missing. */
function changeAddress(
  before: ProviderAddress | undefined,
  change: { readonly url: string | undefined; readonly login: string | undefined },
): ProviderAddress | undefined {
  const url = change.url ?? before?.url;
  const login = change.login ?? before?.login;
  const isNamed = change.url !== undefined || change.login !== undefined;
  if (!isNamed || url === undefined || !login) return undefined;
  return { url, login };
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
