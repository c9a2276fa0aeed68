/** Amounts as decimal texts: browsers format them exactly, and no number of theirs could hold a large sum. Contract 13.4. */
import { displayExponent } from '../../domain/money/currency.ts';
import { formatAmount, formatDecimal, type MinorUnits } from '../../domain/money/money.ts';

export function amountText(minor: MinorUnits, currency: string): string {
  return formatAmount(minor, displayExponent(currency));
}

export function sumText(minor: bigint, currency: string): string {
  return formatDecimal({ digits: minor, scale: displayExponent(currency) });
}
