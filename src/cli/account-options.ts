/** The options for account settings, shared by `account create` and `account update`. */
import {
  type AccountSettings,
  type AlternateCurrency,
  accountDefaults,
  signatureVersions,
} from '../domain/accounts/account.ts';
import { limits } from '../domain/limits.ts';
import { findOrigin } from '../domain/web-address.ts';
import { defaultPaymentModes } from '../providers/account-settings.ts';
import { jsonOption, readWords, UsageError } from './command.ts';
import { changeModes } from './payment-mode-option.ts';
import {
  type ProviderFlags,
  plainSettingsUsage,
  providerApisUsage,
  providerOptions,
  readProviderSettings,
} from './provider-options.ts';

const ownOptions = {
  name: { type: 'string' },
  'optional-order-details': { type: 'boolean' },
  'encrypted-payloads': { type: 'boolean' },
  'signature-version': { type: 'string' },
  'alternate-currency': { type: 'string', multiple: true },
  'requests-per-second': { type: 'string' },
  'callback-origin': { type: 'string', multiple: true },
  'payment-mode': { type: 'string', multiple: true },
  simulator: { type: 'boolean' },
  ...jsonOption,
} as const;

export const accountOptionsUsage =
  `[--optional-order-details] [--encrypted-payloads] [--signature-version v2|v3] [--alternate-currency USD:INR:83.25] ${plainSettingsUsage} ` +
  `[--requests-per-second N|off] [--callback-origin https://shop.example]... [--simulator] ${providerApisUsage} [--json]`;

export type AccountFlags = {
  readonly name?: string;
  readonly 'optional-order-details'?: boolean;
  readonly 'encrypted-payloads'?: boolean;
  readonly 'signature-version'?: string;
  readonly 'alternate-currency'?: string[];
  readonly 'requests-per-second'?: string;
  readonly 'callback-origin'?: string[];
  readonly 'payment-mode'?: string[];
  readonly simulator?: boolean;
  readonly json?: boolean;
  readonly providers: ProviderFlags;
};

/** Parses the options. Those of the providers are separate, because they depend on the provider registry. */
export function readAccountWords(
  words: readonly string[],
  positions?: readonly string[],
): { readonly flags: AccountFlags; readonly positionals: readonly string[] } {
  const { values, positionals } = readWords(
    words,
    { ...ownOptions, ...providerOptions },
    positions,
  );
  const own = values as Omit<AccountFlags, 'providers'>;
  return { flags: { ...own, providers: values as ProviderFlags }, positionals };
}

type AccountBefore = Pick<
  AccountSettings,
  'alternateCurrencies' | 'paymentModes' | 'providerApis' | 'providerSettings'
>;

/** The settings that the options change. `before` is the account before the change. */
export function readSettings(
  flags: AccountFlags,
  before: AccountBefore = { ...accountDefaults, paymentModes: defaultPaymentModes() },
): Partial<AccountSettings> {
  const alternatives = flags['alternate-currency'];
  const modes = flags['payment-mode'];
  const rate = flags['requests-per-second'];
  const origins = flags['callback-origin'];
  return {
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags['optional-order-details'] !== undefined && {
      optionalOrderDetails: flags['optional-order-details'],
    }),
    ...(flags['encrypted-payloads'] !== undefined && {
      encryptedPayloads: flags['encrypted-payloads'],
    }),
    ...(flags['signature-version'] !== undefined && {
      signatureVersion: readSignatureVersion(flags['signature-version']),
    }),
    ...(alternatives !== undefined && {
      alternateCurrencies: changeAlternatives(before.alternateCurrencies, alternatives),
    }),
    ...(rate !== undefined && { requestsPerSecond: readRate(rate) }),
    ...(origins !== undefined && { callbackOrigins: readOrigins(origins) }),
    ...readProviderSettings(flags.providers, before),
    ...(modes !== undefined && { paymentModes: changeModes(before.paymentModes, modes) }),
  };
}

function readSignatureVersion(text: string) {
  const version = signatureVersions.find((known) => known === text);
  if (!version)
    throw new UsageError(`--signature-version must be ${signatureVersions.join(' or ')}.`);
  return version;
}

function readRate(text: string): number | null {
  if (text === 'off') return null;
  const perSecond = Number(text);
  if (/^\d+$/.test(text) && perSecond >= 1 && perSecond <= limits.requestsPerSecondMax) {
    return perSecond;
  }
  throw new UsageError(
    `--requests-per-second must be a whole number from 1 to ${limits.requestsPerSecondMax}, or off.`,
  );
}

/** Replaces the whole list; `off` empties it. */
function readOrigins(texts: readonly string[]): string[] {
  if (texts.length === 1 && texts[0] === 'off') return [];
  const origins = texts.map((text) => {
    const origin = findOrigin(text);
    if (origin !== undefined) return origin;
    throw new UsageError(
      '--callback-origin must look like https://shop.example (http only on loopback), or be off.',
    );
  });
  return [...new Set(origins)];
}

/** `USD:INR:83.25` sets the alternate currency of USD, `USD:off` removes it. */
function changeAlternatives(
  before: readonly AlternateCurrency[],
  texts: readonly string[],
): AlternateCurrency[] {
  const after = new Map(before.map((alternative) => [alternative.from, alternative]));
  for (const text of texts) {
    const [from = '', to = '', rate, more] = text.split(':');
    if (to === 'off' && rate === undefined) after.delete(from);
    else if (rate === undefined || more !== undefined) {
      throw new UsageError(`--alternate-currency must look like USD:INR:83.25, or USD:off.`);
    } else after.set(from, { from, to, rate });
  }
  return [...after.values()];
}
