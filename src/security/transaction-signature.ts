/** `svc_signature`: lets the merchant verify that a transaction comes from this service unchanged. Contract 5.4. */
import type { SignatureVersion } from '../domain/accounts/account.ts';
import { displayExponent } from '../domain/money/currency.ts';
import { formatAmount, type MinorUnits } from '../domain/money/money.ts';
import { hmacHex } from './hmac.ts';

export type SignedTransaction = {
  readonly invoiceId: string;
  readonly transactionId: string;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly status: string;
  readonly transactionType: string;
};

export function signTransaction(
  transaction: SignedTransaction,
  version: SignatureVersion,
  accessSecret: string,
): string {
  const { invoiceId, transactionId, amount, currency, status, transactionType } = transaction;
  const parts = [invoiceId, transactionId, signedAmount(amount, currency), currency];
  if (version === 'v3') parts.push(status, transactionType);
  // The key is the whole access secret, prefix included.
  return hmacHex(accessSecret, parts.join('|'));
}

/** At least two decimals, or as many as the currency has: 500 yen is `500.00`. */
function signedAmount(amount: MinorUnits, currency: string): string {
  const exponent = displayExponent(currency);
  const text = formatAmount(amount, exponent);
  if (exponent >= 2) return text;
  return `${text}.00`;
}
