/**
 * Exact money: decimal text to integer minor units and back, and conversion by a decimal rate. No floating-point
 * arithmetic is involved: JSON numbers are read by their decimal text, and rounding errors of a shop's own
 * floating-point arithmetic are removed with exact arithmetic.
 */
import { refuseField } from '../errors.ts';
import { limits } from '../limits.ts';

/** An amount in the smallest unit of its currency: 1050 is 10.50 INR, 1050 JPY or 1.050 KWD. */
export type MinorUnits = number;

/** A non-negative decimal: `digits` divided by ten to the power of `scale`. */
export type Decimal = { readonly digits: bigint; readonly scale: number };

/** The text of a JSON number whose digits a double would change. */
export type NumberText = { readonly numberText: string };

/** An amount as a merchant sends it: a JSON number or a decimal string. */
export type SentAmount = number | string | NumberText;

type AmountOutcome =
  | { readonly kind: 'amount'; readonly minor: MinorUnits }
  | { readonly kind: 'refused'; readonly why: string };

const plainDecimal = /^(\d{1,400})(?:\.(\d{1,400}))?$/;

/** Reads `"10.50"`, `10.5` or `1050`; undefined for anything but a non-negative decimal. */
export function parseDecimal(input: SentAmount): Decimal | undefined {
  if (typeof input === 'string') {
    const match = plainDecimal.exec(input);
    return match ? toDecimal(match[1], match[2]) : undefined;
  }
  if (typeof input === 'number' && Number.isSafeInteger(input) && input >= 0) {
    return { digits: BigInt(input), scale: 0 };
  }
  const number = parseJsonNumber(input);
  return number?.isNegative ? undefined : number?.decimal;
}

export const isPositive = (input: SentAmount): boolean => (parseDecimal(input)?.digits ?? 0n) > 0n;

const jsonNumber = /^(-)?(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

function parseJsonNumber(input: number | NumberText) {
  const match = jsonNumber.exec(typeof input === 'number' ? String(input) : input.numberText);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const scale = fraction.length - Number(exponent);
  const digits = `${whole}${fraction}${'0'.repeat(Math.max(0, -scale))}`;
  const point = Math.max(0, digits.length - Math.max(0, scale));
  const decimals = scale > 0 ? digits.slice(point).padStart(scale, '0') : '';
  return { isNegative: sign !== undefined, decimal: toDecimal(digits.slice(0, point), decimals) };
}

function toDecimal(whole = '', fraction = ''): Decimal {
  // Trailing zeros do not count as decimals: 500.00 yen is 500 (contract 3.3).
  const significant = fraction.replace(/0+$/, '');
  return { digits: BigInt(whole + significant), scale: significant.length };
}

/** Decimal text in major units to integer minor units, or the reason for a refusal. Contract 3.3. */
export function parseAmount(input: string | number, exponent: number): AmountOutcome {
  // A whole number needs no parsing: the product is exact, or above the limit anyway.
  if (typeof input === 'number' && Number.isInteger(input) && input >= 0) {
    const minor = input * 10 ** exponent + 0;
    return minor <= limits.amountMinorMax ? { kind: 'amount', minor } : tooLarge;
  }
  const decimal = parseDecimal(input);
  return decimal ? toMinor(decimal, exponent) : notDecimal;
}

/**
 * Reads an amount as a merchant sends it. A JSON number within a millionth of a minor unit of an exact amount is that
 * amount, because it may carry a floating-point rounding error. A decimal string is taken literally. Contract 3.9.
 */
export function parseSentAmount(input: SentAmount, exponent: number): AmountOutcome {
  if (typeof input === 'string' || Number.isInteger(input)) {
    return parseAmount(input as string | number, exponent);
  }
  const number = parseJsonNumber(input);
  if (!number) return notDecimal;
  const decimal = withoutRoundingError(number.decimal, exponent);
  // 0.3 - 0.1 - 0.2 is slightly below zero in floating point.
  return number.isNegative && decimal.digits !== 0n ? notDecimal : toMinor(decimal, exponent);
}

export function readSentAmount(field: string, input: SentAmount, exponent: number): MinorUnits {
  const outcome = parseSentAmount(input, exponent);
  return outcome.kind === 'amount' ? outcome.minor : refuseField(field, outcome.why);
}

/** The largest accepted rounding error is one minor unit divided by this. */
const roundingErrorsPerMinor = 1_000_000n;

/** The nearest exact amount, or the number unchanged when it is too far from any. */
function withoutRoundingError(decimal: Decimal, exponent: number): Decimal {
  if (decimal.scale <= exponent) return decimal;
  const unit = 10n ** BigInt(decimal.scale - exponent);
  const minor = divideHalfUp(decimal.digits, unit);
  const error = decimal.digits - minor * unit;
  const isNear = (error < 0n ? -error : error) * roundingErrorsPerMinor <= unit;
  return isNear ? { digits: minor, scale: exponent } : decimal;
}

function toMinor(decimal: Decimal, exponent: number): AmountOutcome {
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

const tooLarge = refused('is larger than we can process');
const notDecimal = refused('must be a non-negative decimal number such as 10.50');

/** Minor units to decimal text with all decimals of the currency: 1050 with exponent 2 is `10.50`. */
export function formatAmount(minor: MinorUnits, exponent: number): string {
  return placePoint(String(minor), exponent);
}

function placePoint(digits: string, scale: number): string {
  const text = digits.padStart(scale + 1, '0');
  return scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

export const formatDecimal = ({ digits, scale }: Decimal) => placePoint(String(digits), scale);

/**
 * Minor units to the number sent in JSON. This is exact: amounts have at most 15 significant digits, and a
 * double preserves such decimals.
 */
export function majorNumber(minor: MinorUnits, exponent: number): number {
  return Number(formatAmount(minor, exponent));
}

/** Converts at a rate per major unit, rounding half up to the minor unit. Contract 3.7. */
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

function refused(why: string): AmountOutcome {
  return { kind: 'refused', why };
}
