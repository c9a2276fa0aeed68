/** How an account reaches its providers and which modes go where, as flags. Contract 11.6. */
import { readFileSync } from 'node:fs';
import type { AccountSettings, ProviderAddress } from '../domain/accounts/account.ts';
import { paymentModeCodes } from '../domain/payment-mode.ts';
import { providers } from '../providers/providers.ts';
import type { ApiSecrets } from '../use-cases/accounts/create-account.ts';
import { UsageError } from './command.ts';

export const providerOptions = {
  'payment-mode': { type: 'string', multiple: true },
  'partner-key-id': { type: 'string' },
  'partner-key-secret': { type: 'string' },
  'partner-url': { type: 'string' },
  'bank-gateway-password': { type: 'string' },
  'bank-gateway-url': { type: 'string' },
} as const;

export const providerOptionsUsage =
  '[--payment-mode upi:partner] [--partner-key-id ID] [--partner-key-secret SECRET|-] [--partner-url URL] [--bank-gateway-password PASSWORD|-] [--bank-gateway-url URL]';

export type ProviderFlags = {
  readonly 'payment-mode'?: string[];
  readonly 'partner-key-id'?: string;
  readonly 'partner-key-secret'?: string;
  readonly 'partner-url'?: string;
  readonly 'bank-gateway-merchant'?: string;
  readonly 'bank-gateway-password'?: string;
  readonly 'bank-gateway-url'?: string;
};

const partnerUrl = 'https://api.razorpay.com';

type Before = Pick<AccountSettings, 'paymentModes' | 'providerApis' | 'bankGatewayMerchant'>;

export function readProviderSettings(
  flags: ProviderFlags,
  before: Before,
): Partial<AccountSettings> {
  const modes = flags['payment-mode'];
  const keyId = flags['partner-key-id'];
  const partner = changeAddress(before.providerApis.partner, {
    // New keys are those of the real partner, unless it is said where else they belong.
    url: flags['partner-url'] ?? (keyId === undefined ? undefined : partnerUrl),
    login: keyId,
  });
  const gatewayUrl = flags['bank-gateway-url'];
  const merchantBefore = (gatewayUrl && before.bankGatewayMerchant) || undefined;
  const gateway = changeAddress(before.providerApis['bank-gateway'], {
    url: gatewayUrl,
    login: flags['bank-gateway-merchant'] ?? merchantBefore,
  });
  if (flags['partner-url'] !== undefined && !partner) {
    throw new UsageError('--partner-url needs --partner-key-id: the account has none.');
  }
  if (gatewayUrl !== undefined && !gateway) {
    throw new UsageError('--bank-gateway-url needs --bank-gateway-merchant: the account has none.');
  }
  return {
    ...(modes !== undefined && { paymentModes: changeModes(before.paymentModes, modes) }),
    ...((partner || gateway) && {
      providerApis: {
        ...before.providerApis,
        ...(partner && { partner }),
        ...(gateway && { 'bank-gateway': gateway }),
      },
    }),
  };
}

/** A secret may come from standard input instead, where no list of processes shows it. */
export function readApiSecrets(flags: ProviderFlags): ApiSecrets {
  const key = readSecret(flags['partner-key-secret']);
  const password = readSecret(flags['bank-gateway-password']);
  return {
    ...(key !== undefined && { 'partner-key-secret': key }),
    ...(password !== undefined && { 'bank-gateway-password': password }),
  };
}

function readSecret(given: string | undefined): string | undefined {
  if (given !== '-') return given;
  const [line = ''] = readFileSync(0, 'utf8').split(/\r?\n/);
  if (line === '') throw new UsageError('Standard input holds no secret.');
  return line;
}

/** Undefined when nothing was named, and while there is no address to go with a name. */
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

/** `upi:partner` enables a mode and says where it goes, `upi:off` takes it away. */
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

const example = `upi:${providers.map(({ name }) => name).join(' or upi:')} (modes: ${paymentModeCodes.join(', ')})`;
