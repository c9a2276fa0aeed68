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

export function shownValue(field: string, value: unknown, currency: string | null): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') {
    if (field.endsWith('AtMs')) return isoTimestamp(new Date(value));
    // A report of a capture mentions the captures by its own amount.
    return amountFields.has(field) || field === 'captures' ? major(value, currency) : value;
  }
  if (field === 'captures' || field === 'parts') return (value as Part[]).map(partOf(currency));
  if (field === 'amounts') return shownAmounts(value as Amounts);
  return value;
}

type Part = { readonly amount: MinorUnits; readonly atMs?: number | null };

/** A capture, or a part of a refund. */
function partOf(currency: string | null) {
  return ({ atMs, amount, ...part }: Part) => ({
    ...part,
    amount: major(amount, currency),
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

function major(minor: MinorUnits, currency: string | null): number {
  return currency === null ? minor : majorNumber(minor, displayExponent(currency));
}
