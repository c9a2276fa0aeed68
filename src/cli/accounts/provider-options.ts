/** The options for an account's providers; every provider describes its own. Contract 11.6. */
import { readFileSync } from 'node:fs';
import type { AccountSettings } from '../../domain/accounts/account.ts';
import {
  changeProviderSettings,
  type ProviderSettingsBefore,
  readProviderValues,
} from '../../providers/account-settings.ts';
import type { Provider } from '../../providers/provider.ts';
import { providers } from '../../providers/providers.ts';
import type { SettingOption } from '../../providers/settings.ts';
import type { ApiSecrets } from '../../use-cases/accounts/create-account.ts';
import { UsageError, type ValueSpec } from '../framework/command.ts';
import { printedName } from '../framework/screen.ts';

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
  return { value: `${placeholder}${more}`, text: `${description}${hint}` };
}

/** A command that gives an account the keys of a provider, without the secret itself. */
export function exampleOfKeys({ settings: { login, apiSecret, apiUrl } }: Provider): string {
  const url = apiUrl.defaultValue === undefined ? ` --${apiUrl.option} ${apiUrl.placeholder}` : '';
  return `--${login.option} ${login.placeholder}${url} --${apiSecret.option} -`;
}

export function readProviderSettings(flags: ProviderFlags, before: ProviderSettingsBefore) {
  refuseEmptyKeys(flags);
  return changeProviderSettings(flags, before, (url, login) => {
    throw new UsageError(`--${url} needs --${login}: the account has none.`);
  });
}

/** An unset variable of a script must not replace a secret by nothing. Plain settings are removed by an empty value. */
function refuseEmptyKeys(flags: ProviderFlags): void {
  for (const { settings } of providers) {
    const plain = settings.plain.map(({ option }) => option);
    for (const { option } of [settings.login, settings.apiSecret, settings.apiUrl]) {
      const isEmpty = flags[option]?.trim() === '';
      if (isEmpty && !plain.includes(option))
        throw new UsageError(`--${option} must not be empty.`);
    }
  }
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
