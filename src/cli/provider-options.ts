/** The options for an account's providers; every provider describes its own. Contract 11.6. */
import { readFileSync } from 'node:fs';
import type {
  AccountSettings,
  ProviderAddress,
  ProviderValues,
} from '../domain/accounts/account.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import { readProviderValues } from '../providers/account-settings.ts';
import type { Provider } from '../providers/provider.ts';
import { providers } from '../providers/providers.ts';
import { findStoredLogin, type SettingOption } from '../providers/settings.ts';
import type { ApiSecrets } from '../use-cases/accounts/create-account.ts';
import { UsageError, type ValueSpec } from './command.ts';
import { printedName } from './render.ts';

/** By option, without the leading dashes. */
export type ProviderFlags = Readonly<Record<string, string | undefined>>;

export const providerOptions: Readonly<Record<string, ValueSpec>> = Object.fromEntries(
  providers.flatMap(({ settings: { plain, login, apiSecret, apiUrl } }) => [
    ...[...plain, login].map((setting) => [setting.option, specOf(setting)] as const),
    [apiSecret.option, specOf(apiSecret, '|-')] as const,
    [apiUrl.option, specOf(apiUrl)] as const,
  ]),
);

function specOf({ placeholder, description }: SettingOption, more = ''): ValueSpec {
  const hint = more === '' ? '' : ' With - it is read from standard input.';
  return { type: 'string', value: `${placeholder}${more}`, text: `${description}${hint}` };
}

/** A command that gives an account the keys of a provider, without the secret itself. */
export function exampleOfKeys({ settings: { login, apiSecret, apiUrl } }: Provider): string {
  const url = apiUrl.defaultValue === undefined ? ` --${apiUrl.option} ${apiUrl.placeholder}` : '';
  return `--${login.option} ${login.placeholder}${url} --${apiSecret.option} -`;
}

type Before = Pick<AccountSettings, 'providerApis' | 'providerSettings'>;

/** Only the given options; `before` holds the account's current settings. */
export function readProviderSettings(
  flags: ProviderFlags,
  before: Before,
): Partial<AccountSettings> {
  const apis: Record<ProviderName, ProviderAddress> = {};
  const settings: Record<ProviderName, ProviderValues> = {};
  for (const provider of providers) {
    const api = readAddress(provider, flags, before);
    const values = readPlainSettings(provider, flags, before);
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
  flags: ProviderFlags,
  before: Before,
): ProviderAddress | undefined {
  const { login: loginSetting, apiUrl } = settings;
  const [login, url] = [flags[loginSetting.option], flags[apiUrl.option]];
  const storedLogin = url ? findStoredLogin(settings, before.providerSettings[name]) : undefined;
  const address = changeAddress(before.providerApis[name], {
    // A new login belongs to the real provider, unless another URL comes with it.
    url: url ?? (login === undefined ? undefined : apiUrl.defaultValue),
    login: login ?? storedLogin,
  });
  if (url !== undefined && !address) {
    throw new UsageError(
      `--${apiUrl.option} needs --${loginSetting.option}: the account has none.`,
    );
  }
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
  flags: ProviderFlags,
  before: Before,
): ProviderValues | undefined {
  const named = settings.plain.filter(({ option }) => flags[option] !== undefined);
  if (named.length === 0) return undefined;
  const values: Record<string, string> = { ...before.providerSettings[name] };
  for (const { name: setting, option } of named) {
    const value = flags[option];
    if (value) values[setting] = value;
    else delete values[setting];
  }
  return values;
}

export function readApiSecrets(flags: ProviderFlags): ApiSecrets {
  const secrets: Record<string, string> = {};
  for (const { settings } of providers) {
    const { option } = settings.apiSecret;
    const secret = readSecret(flags[option]);
    if (secret !== undefined) secrets[option] = secret;
  }
  return secrets;
}

/** `-` reads the secret from standard input, so that it does not appear in the process list. */
export function readSecret(given: string | undefined): string | undefined {
  if (given !== '-') return given;
  const [line = ''] = readFileSync(0, 'utf8').split(/\r?\n/);
  if (line === '') throw new UsageError('Standard input holds no secret.');
  return line;
}

/** The plain settings under the names of their options; null for one that has no value. */
export function plainSettingsView(
  account: Pick<AccountSettings, 'providerSettings'>,
): Readonly<Record<string, string | null>> {
  const view: Record<string, string | null> = {};
  for (const { name, settings } of providers) {
    const values = readProviderValues(account, name);
    for (const setting of settings.plain) {
      view[printedName(setting.option)] = values[setting.name] ?? null;
    }
  }
  return view;
}
