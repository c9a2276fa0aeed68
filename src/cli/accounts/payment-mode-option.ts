/** `--payment-mode`: which modes an account offers, and the provider that each is routed to. Contract 11.4. */
import type { AccountSettings } from '../../domain/accounts/account.ts';
import { paymentModeCodes } from '../../domain/payment-mode.ts';
import { providers } from '../../providers/providers.ts';
import { UsageError } from '../framework/command.ts';

/** A mode with the name of a provider is routed there, a mode with `off` is no longer offered. */
export function changeModes(
  before: AccountSettings['paymentModes'],
  texts: readonly string[],
): AccountSettings['paymentModes'] {
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

export const paymentModeText = `Route a payment mode to a provider (${providers.map(({ name }) => name).join(', ')}), or do not offer it (off). Modes: ${paymentModeCodes.join(', ')}.`;

const example = `upi:${providers.map(({ name }) => name).join(' or upi:')} (modes: ${paymentModeCodes.join(', ')})`;
