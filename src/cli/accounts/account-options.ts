/** The options for account settings, shared by `account create` and `account update`. */
import {
  type Account,
  type AccountSettings,
  type AlternateCurrency,
  accountDefaults,
  captureModes,
  latePaymentRules,
  signatureVersions,
} from '../../domain/accounts/account.ts';
import type { RequestedRate } from '../../domain/accounts/exchange-rates.ts';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { accessKeyOf } from '../../domain/ids.ts';
import { paymentModeCodes } from '../../domain/payment-mode.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import { defaultPaymentModes } from '../../providers/account-settings.ts';
import { providers } from '../../providers/providers.ts';
import { type OptionSpecs, type OptionValues, UsageError } from '../framework/command.ts';
import {
  brandingOptions,
  brandingView,
  ifGiven,
  originOption,
  readBranding,
  readOrigins,
} from './branding-options.ts';
import {
  type ProviderFlags,
  plainSettingsView,
  providerOptions,
  readProviderSettings,
} from './provider-options.ts';

/** A mode with the name of a provider is routed there, a mode with `off` is no longer offered. */
function changeModes(before: AccountSettings['paymentModes'], texts: readonly string[]) {
  const after: Record<string, string> = { ...before };
  for (const text of texts) {
    const [code = '', provider = '', more] = text.split(':');
    const isKnown = paymentModeCodes.some((known) => known === code) && more === undefined;
    if (isKnown && provider === 'off') delete after[code];
    else if (isKnown && providers.some(({ name }) => name === provider)) after[code] = provider;
    else throw new UsageError(`--payment-mode must look like ${example}, or upi:off.`);
  }
  return after as AccountSettings['paymentModes'];
}

const paymentModeText = `Route a payment mode to a provider (${providers.map(({ name }) => name).join(', ')}), or do not offer it (off). Modes: ${paymentModeCodes.join(', ')}.`;

const example = `upi:${providers.map(({ name }) => name).join(' or upi:')} (modes: ${paymentModeCodes.join(', ')})`;

const ownOptions = {
  'optional-order-details': {
    text: 'Orders may come without user, shipping address and line items.',
    isNegatable: true,
  },
  'encrypted-payloads': {
    text: 'Accept encrypted requests, and encrypt the replies to them.',
    isNegatable: true,
  },
  'signature-version': {
    value: signatureVersions.join('|'),
    text: 'The version of the signatures of transactions.',
  },
  'capture-mode': {
    value: captureModes.join('|'),
    text: 'Who captures payments that are started from now on: the provider by itself, or the shop by its calls.',
  },
  'late-payments': {
    value: latePaymentRules.join('|'),
    text: 'What becomes of a payment that succeeds after its order lapsed or was cancelled: it completes the order, or is refunded at once.',
  },
  'alternate-currency': {
    value: 'FROM:TO:RATE',
    text: 'Process orders of one currency in another, such as USD:INR:83.25. USD:off ends it. A rate that is far from the former one is given twice: USD:INR:8.5:8.5.',
    multiple: true,
  },
  'requests-per-second': {
    value: 'N|off',
    text: `The limit of calls a second, from 1 to ${accountLimits.requestsPerSecondMax}, or off.`,
  },
  'callback-origin': originOption(
    'An origin that consumers may be sent back to, such as https://shop.example.',
    'off',
  ),
  'payment-mode': { value: 'MODE:PROVIDER', text: paymentModeText, multiple: true },
  simulator: { text: 'Use the providers of "npm run simulator", for trials.', isNegatable: true },
  ...brandingOptions,
} as const satisfies OptionSpecs;

const nameText = 'The name of the shop.';

/** The options of the providers depend on their registry, so their types are those of any text. */
export const createOptions = {
  name: { value: 'NAME', text: nameText, isRequired: true },
  ...ownOptions,
  ...providerOptions,
} as const;

export const updateOptions = {
  name: { value: 'NAME', text: nameText },
  ...ownOptions,
  ...providerOptions,
} as const;

type AccountFlags = Partial<OptionValues<typeof ownOptions>> & {
  readonly name?: string | undefined;
  readonly providers: ProviderFlags;
};

export function accountFlags(values: object): AccountFlags {
  return { ...values, providers: values as ProviderFlags };
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
  return withoutAbsent({
    name: flags.name,
    optionalOrderDetails: flags['optional-order-details'],
    encryptedPayloads: flags['encrypted-payloads'],
    signatureVersion: readOneOf('signature-version', signatureVersions, flags),
    captureMode: readOneOf('capture-mode', captureModes, flags),
    latePayments: readOneOf('late-payments', latePaymentRules, flags),
    alternateCurrencies: ifGiven(flags['alternate-currency'], (texts) =>
      changeAlternatives(before.alternateCurrencies, texts),
    ),
    requestsPerSecond: ifGiven(flags['requests-per-second'], readRate),
    callbackOrigins: readOrigins('callback-origin', flags['callback-origin'], 'off'),
    ...readBranding(flags),
    ...readProviderSettings(flags.providers, before),
    paymentModes: ifGiven(flags['payment-mode'], (texts) =>
      changeModes(before.paymentModes, texts),
    ),
  });
}

function readOneOf<
  Name extends 'signature-version' | 'capture-mode' | 'late-payments',
  Value extends string,
>(
  name: Name,
  values: readonly Value[],
  { [name]: text }: Pick<AccountFlags, Name>,
): Value | undefined {
  const value = values.find((known) => known === text);
  if (text !== undefined && !value)
    throw new UsageError(`--${name} must be ${values.join(' or ')}.`);
  return value;
}

function readRate(text: string): number | null {
  if (text === 'off') return null;
  const perSecond = Number(text);
  if (/^\d+$/.test(text) && perSecond >= 1 && perSecond <= accountLimits.requestsPerSecondMax) {
    return perSecond;
  }
  throw new UsageError(
    `--requests-per-second must be a whole number from 1 to ${accountLimits.requestsPerSecondMax}, or off.`,
  );
}

/** `USD:INR:83.25` sets the alternate currency of USD, with the rate once more if need be. `USD:off` removes it. */
function changeAlternatives(before: readonly AlternateCurrency[], texts: readonly string[]) {
  const after = new Map<string, RequestedRate>(before.map((rate) => [rate.from, rate]));
  for (const text of texts) {
    const [from = '', to = '', rate, confirmedRate, more] = text.split(':');
    if (to === 'off' && rate === undefined) after.delete(from);
    else if (rate === undefined || (confirmedRate ?? rate) !== rate || more !== undefined) {
      throw new UsageError(
        `--alternate-currency must look like USD:INR:83.25, USD:INR:83.25:83.25 or USD:off.`,
      );
    } else after.set(from, { from, to, rate, ...(confirmedRate && { confirmedRate }) });
  }
  return [...after.values()];
}

export function accountView(account: AccountSettings & Pick<Account, 'accountId' | 'logo'>) {
  return {
    accountId: account.accountId,
    name: account.name,
    accessKey: accessKeyOf(account.accountId),
    optionalOrderDetails: account.optionalOrderDetails,
    encryptedPayloads: account.encryptedPayloads,
    signatureVersion: account.signatureVersion,
    captureMode: account.captureMode,
    latePayments: account.latePayments,
    ...plainSettingsView(account),
    requestsPerSecond: account.requestsPerSecond ?? 'off',
    alternateCurrencies: account.alternateCurrencies.map(
      ({ from, to, rate }) => `${from}:${to}:${rate}`,
    ),
    paymentModes: Object.entries(account.paymentModes).map(
      ([code, provider]) => `${code}:${provider}`,
    ),
    providerApis: Object.entries(account.providerApis).map(
      ([provider, { url, login }]) => `${provider}:${login}@${url}`,
    ),
    callbackOrigins: account.callbackOrigins,
    ...brandingView(account),
  };
}
