/**
 * Reading foreign JSON: every enumeration is open, every member may be absent, null, empty or of
 * another type than documented. What is not usable is absent; nothing here throws.
 */
import { findExponent } from '../domain/currency.ts';
import { type MinorUnits, parseAmount } from '../domain/money.ts';

export type WireObject = Readonly<Record<string, unknown>>;

/** An object, or an empty one: providers write `[]` or null for no members. */
export function object(value: unknown): WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as WireObject)
    : {};
}

/** Text that says something; numbers and booleans are taken by their text. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? storable(value) : undefined;
}

/** Integer minor units. */
export function minorUnits(value: unknown): MinorUnits | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined;
}

/** A decimal in major units to minor units of its currency. */
export function majorUnits(value: unknown, currency: string | undefined): MinorUnits | undefined {
  const exponent = currency === undefined ? undefined : findExponent(currency);
  if (exponent === undefined || (typeof value !== 'number' && typeof value !== 'string')) {
    return undefined;
  }
  const outcome = parseAmount(value, exponent);
  return outcome.kind === 'amount' ? outcome.minor : undefined;
}

/** Unix seconds to milliseconds. */
export function unixSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof seconds === 'number' && isPlausible(seconds * 1000) ? seconds * 1000 : undefined;
}

/** An ISO 8601 timestamp to milliseconds. */
export function isoTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return isPlausible(time) ? time : undefined;
}

/** The members that are there: absent ones are left out, so that equal notices are equal. */
export function present<Shape extends object>(shape: Shape): Shape {
  return Object.fromEntries(
    Object.entries(shape).filter(([, value]) => value !== undefined),
  ) as Shape;
}

/** The texts that are there, each once. */
export function texts(...values: readonly unknown[]): string[] {
  return [...new Set(values.map(text).filter((value) => value !== undefined))];
}

/** Within the years a timestamp column and our transaction ids can hold. */
function isPlausible(timeMs: number): boolean {
  return timeMs >= 0 && timeMs < Date.UTC(2100, 0, 1);
}

/** PostgreSQL stores neither the character NUL nor half of a surrogate pair. */
function storable(value: string): string {
  return value.replaceAll('\0', '').toWellFormed();
}
