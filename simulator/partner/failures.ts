/** The reasons of failed payments as the partner reports them. */
import type { Wire } from '../wire.ts';

const descriptions: Readonly<Record<string, string>> = {
  insufficient_funds: 'Your account does not have enough balance for this payment.',
  payment_cancelled: 'You have cancelled the payment.',
  payment_timed_out: 'The payment was not completed on time.',
  authentication_failed: 'The bank could not confirm that it was you.',
  incorrect_otp: 'The one-time password was not right.',
  bank_account_validation_failed: 'The payment was not made from the bank account of the order.',
  card_declined: 'The card was declined by the bank that issued it.',
  gateway_technical_error: 'The gateway had a technical problem.',
};

const sources: readonly (readonly [RegExp, string, string])[] = [
  [/cancelled|timed_out|expired/, 'customer', 'payment_authentication'],
  [/bank_account/, 'customer', 'payment_authorization'],
  [/otp|pin|authentication/, 'customer', 'payment_authentication'],
  [/gateway|server/, 'gateway', 'payment_authorization'],
  [/not_enabled|risk|compliance/, 'business', 'payment_initiation'],
];

export function failureFields(reason: string | null): Wire {
  if (reason === null) return noFailure;
  const [, source, step] = sources.find(([pattern]) => pattern.test(reason)) ?? bank;
  return {
    error_code: codeOf(reason),
    error_description:
      descriptions[reason] ?? `The payment failed: ${reason.replaceAll('_', ' ')}.`,
    error_source: source,
    error_step: step,
    error_reason: reason,
  };
}

const bank = [/./, 'issuer_bank', 'payment_authorization'] as const;

const noFailure = {
  error_code: null,
  error_description: null,
  error_source: null,
  error_step: null,
  error_reason: null,
};

function codeOf(reason: string): string {
  if (/^(gateway|bank)_(?!account)/.test(reason)) return 'GATEWAY_ERROR';
  return reason === 'server_error' ? 'SERVER_ERROR' : 'BAD_REQUEST_ERROR';
}
