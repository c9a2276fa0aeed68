/** What the registered providers mean for the settings and secrets of an account. */

import {
  type AccountSettings,
  checkSettings,
  ownSecretKinds,
  type ProviderValues,
  type SecretKind,
} from '../domain/accounts/account.ts';
import { isEndpointSecretKind } from '../domain/accounts/endpoint.ts';
import { refuseField } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-name.ts';
import { getProvider, providers } from './providers.ts';
import { listSecretKinds } from './settings.ts';

/** The secrets that the service generates; each can be rotated with an overlap. */
export function listRotatableSecretKinds(): SecretKind[] {
  return ['access-secret', ...providers.map(({ settings }) => settings.webhookSecret)];
}

/** Every kind of secret that may be stored. */
export function isSecretKind(kind: SecretKind): boolean {
  const kinds = providers.flatMap(({ settings }) => listSecretKinds(settings));
  return isEndpointSecretKind(kind) || [...ownSecretKinds, ...kinds].includes(kind);
}

/** The addresses of the real providers, where a provider has one. */
export function listDefaultUrls(): string[] {
  return providers.flatMap(({ settings: { apiUrl } }) => apiUrl.defaultValue ?? []);
}

/** How a new account routes its payment modes. */
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
  return merchantSetting === undefined
    ? undefined
    : readProviderValues(account, name)[merchantSetting];
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
  for (const [name, values] of Object.entries(providerSettings)) {
    for (const [setting, value] of Object.entries(values)) checkValue(name, setting, value);
  }
  return settings;
}

function checkValue(provider: ProviderName, setting: string, value: string): void {
  const written = `${provider} ${setting}`;
  const described = getProvider(provider).settings.plain.find(({ name }) => name === setting);
  const fault = described ? described.findFault?.(value) : 'is not a setting';
  if (fault !== undefined) refuseField(written, fault);
}
