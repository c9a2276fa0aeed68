/**
 * Reads the JSON of providers: enumerations may have new values, and every field may be absent, null, empty or of
 * another type than documented. Values that cannot be used count as absent; nothing here throws.
 */
import { isNestedDeeper, parseExactJson } from '../domain/json/json.ts';
import { limits } from '../domain/limits.ts';
import { findExponent } from '../domain/money/currency.ts';
import { type MinorUnits, parseAmount } from '../domain/money/money.ts';
import { withoutAbsent } from '../domain/without-absent.ts';

export type WireObject = Readonly<Record<string, unknown>>;

/** Longer than any real id or reference of a provider or a shop, and short enough for an index. */
const referenceCharsMax = 255;

/** A JSON object with exact numbers; undefined for anything else, and if it is nested too deeply. */
export function jsonObject(bytes: Buffer): WireObject | undefined {
  if (isNestedDeeper(bytes, limits.nestingMax)) return undefined;
  try {
    const value = parseExactJson(bytes.toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as WireObject) : undefined;
  } catch {
    return undefined;
  }
}

export function id(value: unknown): string | undefined {
  const found = text(value);
  return found !== undefined && found.length <= referenceCharsMax ? found : undefined;
}

/** An object, or an empty one: providers write `[]` or null for no fields. */
export function object(value: unknown): WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as WireObject)
    : nothing;
}

const nothing: WireObject = Object.freeze({});

/** Text that is not blank; numbers and booleans become their text. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const content = typeof value === 'string' ? storable(value) : '';
  return content.trim() === '' ? undefined : content;
}

export function minorUnits(value: unknown): MinorUnits | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  const isAmount =
    typeof number === 'number' &&
    Number.isInteger(number) &&
    number >= 0 &&
    number <= limits.amountMinorMax;
  // Adding 0 turns minus zero, which the database cannot store, into zero.
  return isAmount ? number + 0 : undefined;
}

export function majorUnits(value: unknown, currency: string | undefined): MinorUnits | undefined {
  const exponent = currency === undefined ? undefined : findExponent(currency);
  if (exponent === undefined || (typeof value !== 'number' && typeof value !== 'string')) {
    return undefined;
  }
  const outcome = parseAmount(value, exponent);
  return outcome.kind === 'amount' ? outcome.minor : undefined;
}

export function unixSeconds(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !isPlausible(seconds * 1000)) return undefined;
  return Math.trunc(seconds * 1000) + 0;
}

/** An ISO 8601 timestamp to milliseconds; without a zone it is UTC. */
export function isoTime(value: unknown): number | undefined {
  const match = typeof value === 'string' ? isoTimestamp.exec(value) : null;
  if (!match) return undefined;
  const time = Date.parse(match[1] === undefined ? `${value}Z` : String(value));
  return isPlausible(time) ? time : undefined;
}

const isoTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** One segment of a URL path: an id of a provider must not lead to another path. */
export function segment(id: string): string {
  // `.` and `..` are resolved even when encoded once.
  return /^\.\.?$/.test(id) ? id.replaceAll('.', '%252E') : encodeURIComponent(id);
}

/** Counted in code points, so that no character is cut in half. */
export function truncate(value: string, charsMax: number): string {
  // There are never more code points than UTF-16 units.
  return value.length <= charsMax ? value : [...value].slice(0, charsMax).join('');
}

/** The texts that are defined; undefined if there is none. */
export function givenTexts(texts: Readonly<Record<string, string | undefined>>) {
  const given = withoutAbsent(texts) as Readonly<Record<string, string>>;
  return Object.keys(given).length === 0 ? undefined : given;
}

/** The usable references, without duplicates. */
export function references(...values: readonly unknown[]): string[] {
  const usable: string[] = [];
  for (const value of values) {
    const own = id(value);
    if (own !== undefined && !usable.includes(own)) usable.push(own);
  }
  return usable;
}

/** The paths of fields, separated by white space, as the alternatives of a regular expression. */
export const alternatives = (paths: string) => paths.replaceAll('.', '\\.').split(/\s+/).join('|');

/** Within the range of our timestamp columns and transaction ids. */
const isPlausible = (timeMs: number): boolean => timeMs >= 0 && timeMs < Date.UTC(2100, 0, 1);

/** PostgreSQL can store neither NUL nor half of a surrogate pair. */
function storable(value: string): string {
  // Fast path: nearly all text is storable, and every text of every delivery comes here.
  if (value.isWellFormed() && !value.includes('\0')) return value;
  return value.replaceAll('\0', '').toWellFormed();
}
