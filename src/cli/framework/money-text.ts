/** Amounts as the command line prints them: numbers of major units in JSON, exact decimals in tables. */
import { displayExponent } from '../../domain/money/currency.ts';
import { type MinorUnits, majorNumber } from '../../domain/money/money.ts';

export function amountNumber(minor: MinorUnits | null, currency: string | null): number | null {
  return minor === null || currency === null ? null : majorNumber(minor, displayExponent(currency));
}

/** `118.00 INR`, from the number that the JSON contains. Its decimals are exact, so nothing is rounded here. */
export function amountText(major: number | null, currency: string | null): string | null {
  if (major === null || currency === null) return null;
  return `${major.toFixed(displayExponent(currency))} ${currency}`;
}
