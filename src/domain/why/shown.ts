/** Names and values of fields as readers know them from the API: wire names, major units, times in ISO 8601. */
import { snakeCase } from '../json/snake-case.ts';
import { displayExponent } from '../money/currency.ts';
import { type MinorUnits, majorNumber } from '../money/money.ts';
import type { Amounts } from '../orders/order.ts';
import { isoTimestamp } from '../time.ts';

/** `startedAtMs` becomes `started_at`. */
export function shownName(field: string): string {
  return snakeCase(field.replace(/AtMs$/, 'At'));
}

const amountFields: ReadonlySet<string> = new Set(['amount', 'customerFee', 'offerDiscount']);

export function isAmountName(name: string): boolean {
  return name === 'amount' || name === 'customer_fee' || name === 'offer_discount';
}

/** Amounts of fields are numbers for the command line, and decimal texts for the dashboard. */
export type AmountStyle = 'number' | 'text';

export function shownValue(
  field: string,
  value: unknown,
  currency: string | null,
  style: AmountStyle = 'number',
): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (field.endsWith('AtMs')) return isoTimestamp(new Date(value));
    // A report of a capture mentions the captures by its own amount.
    return amountFields.has(field) || field === 'captures' ? styled(value, currency, style) : value;
  }
  if (field === 'captures' || field === 'parts')
    return (value as Part[]).map(partOf(currency, style));
  if (field === 'amounts') return shownAmounts(value as Amounts);
  return value;
}

type Part = { readonly amount: MinorUnits; readonly atMs?: number | null };

/** A capture, or a part of a refund. */
function partOf(currency: string | null, style: AmountStyle) {
  return ({ atMs, amount, ...part }: Part) => ({
    ...part,
    amount: styled(amount, currency, style),
    ...(atMs !== undefined && { at: atMs === null ? null : isoTimestamp(new Date(atMs)) }),
  });
}

/** The amounts of an order in major units. */
export type ShownAmounts = {
  readonly currency: string;
  readonly beforeTax: number;
  readonly tax: number;
  readonly total: number;
};

export function shownAmounts({ currency, beforeTax, tax, total }: Amounts): ShownAmounts {
  return {
    currency,
    beforeTax: major(beforeTax, currency),
    tax: major(tax, currency),
    total: major(total, currency),
  };
}

/** `118.00 INR`. The number has exact decimals, so nothing is rounded here. */
export function amountText(amount: number, currency: string): string {
  return `${amount.toFixed(displayExponent(currency))} ${currency}`;
}

/** An amount without a currency stays in minor units. */
function styled(minor: MinorUnits, currency: string | null, style: AmountStyle): number | string {
  if (currency === null) return minor;
  const amount = major(minor, currency);
  return style === 'text' ? amount.toFixed(displayExponent(currency)) : amount;
}

function major(minor: MinorUnits, currency: string): number {
  return majorNumber(minor, displayExponent(currency));
}
