/**
 * Exact money: decimal text to integer minor units and back, and conversion by a decimal rate.
 * No floating-point arithmetic touches an amount; JSON numbers are read by their decimal text.
 */
import { limits } from './limits.ts';

/** An amount in the smallest unit of its currency: 1050 is 10.50 INR, 1050 JPY or 1.050 KWD. */
export type MinorUnits = number;

/** A non-negative decimal: `digits` divided by ten to the power of `scale`. */
export type Decimal = { readonly digits: bigint; readonly scale: number };

export type AmountOutcome =
  | { readonly kind: 'amount'; readonly minor: MinorUnits }
  | { readonly kind: 'refused'; readonly why: string };

const plainDecimal = /^(\d{1,400})(?:\.(\d{1,400}))?$/;

/** Reads `"10.50"`, `10.5` or `1050`; undefined when it is not a non-negative decimal. */
export function parseDecimal(input: string | number): Decimal | undefined {
  if (Number.isSafeInteger(input) && (input as number) >= 0) {
    return { digits: BigInt(input), scale: 0 };
  }
  const match = plainDecimal.exec(typeof input === 'number' ? decimalText(input) : input);
  if (!match) return undefined;
  // Trailing zeros are no decimals: 500.00 yen is 500 (Decision 3.3).
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  return { digits: BigInt(match[1] + fraction), scale: fraction.length };
}

/** Decimal text in major units to integer minor units, or the reason why not. Decision 3.3. */
export function parseAmount(input: string | number, exponent: number): AmountOutcome {
  // A whole number needs no reading: the product is exact, or above the limit anyway.
  if (typeof input === 'number' && Number.isInteger(input) && input >= 0) {
    const minor = input * 10 ** exponent + 0;
    return minor <= limits.amountMinorMax ? { kind: 'amount', minor } : tooLarge;
  }
  const decimal = parseDecimal(input);
  if (!decimal) return refused('must be a non-negative decimal number such as 10.50');
  if (decimal.scale > exponent) {
    return refused(
      exponent === 0
        ? 'has decimals, but the currency has none'
        : `has more than the ${exponent} decimals of the currency`,
    );
  }
  const minor = decimal.digits * 10n ** BigInt(exponent - decimal.scale);
  if (minor > BigInt(limits.amountMinorMax)) return tooLarge;
  return { kind: 'amount', minor: Number(minor) };
}

const tooLarge: AmountOutcome = { kind: 'refused', why: 'is larger than we can process' };

/** Minor units to decimal text with all decimals of the currency: 1050 with 2 is `10.50`. */
export function formatAmount(minor: MinorUnits, exponent: number): string {
  const text = String(minor).padStart(exponent + 1, '0');
  if (exponent === 0) return text;
  return `${text.slice(0, -exponent)}.${text.slice(-exponent)}`;
}

/**
 * Minor units to the number sent in JSON. Exact: amounts have at most 15 significant digits, and
 * such decimals survive the way through a double and back unchanged.
 */
export function majorNumber(minor: MinorUnits, exponent: number): number {
  return Number(formatAmount(minor, exponent));
}

/** Converts by a rate per major unit, rounding half up to the minor unit. Decision 3.7. */
export function convertAmount(
  minor: MinorUnits,
  rate: Decimal,
  fromExponent: number,
  toExponent: number,
): MinorUnits {
  const numerator = BigInt(minor) * rate.digits * 10n ** BigInt(toExponent);
  return Number(divideHalfUp(numerator, 10n ** BigInt(rate.scale + fromExponent)));
}

/** The product of two decimals in minor units, rounded half up: a rate times a quantity. */
export function multiplyToMinor(left: Decimal, right: Decimal, exponent: number): MinorUnits {
  const numerator = left.digits * right.digits * 10n ** BigInt(exponent);
  return Number(divideHalfUp(numerator, 10n ** BigInt(left.scale + right.scale)));
}

function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** The decimal text of a JSON number, also where JavaScript prints it with an exponent. */
function decimalText(value: number): string {
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const places = Number(exponent);
  if (places > 0) return `${whole}${fraction.padEnd(places, '0')}`;
  return `0.${'0'.repeat(-places - 1)}${whole}${fraction}`;
}

function refused(why: string): AmountOutcome {
  return { kind: 'refused', why };
}
