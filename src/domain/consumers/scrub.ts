/** Finds personal values in free texts, in any spelling or encoding, and replaces them with a marker. */

export const erasedMarker = '[erased]';

export type Phone = {
  /** All digits, including the country code. */
  readonly full: string;
  /** The digits after the country code, if the length of the code is known. */
  readonly number?: string;
};

export type PersonalValues = {
  /** E-mail addresses, UPI ids, names: found as whole words, ignoring case. */
  readonly words: readonly string[];
  readonly phones: readonly Phone[];
};

export type Scrub = (text: string) => string;

export function createScrub(values: PersonalValues): Scrub {
  const pattern = findPattern(values);
  return pattern ? (text) => text.replace(pattern, erasedMarker) : (text) => text;
}

export function createSearch(values: PersonalValues): (text: string) => boolean {
  const pattern = findPattern(values);
  return (text) => pattern !== undefined && text.search(pattern) !== -1;
}

/** Shorter values would match by chance. */
const wordCharsMin = 4;
const phoneDigitsMin = 6;

function findPattern({ words, phones }: PersonalValues): RegExp | undefined {
  const sources = new Set([
    ...words.filter((word) => word.trim().length >= wordCharsMin).map(wordSource),
    ...phones.filter(({ full }) => full.length >= phoneDigitsMin).map(phoneSource),
  ]);
  return sources.size === 0 ? undefined : new RegExp([...sources].join('|'), 'giu');
}

/** A word may also start after a percent-encoded character or an escape. */
const encodedBefore = '(?<=%[0-9a-f]{2})|(?<=\\\\[bfnrt])';

/** Matches whole words only: `natasha@example.com` does not contain `asha@example.com`. */
function wordSource(word: string): string {
  const before = `(?:(?<![\\p{L}\\p{N}._+-])|${encodedBefore})`;
  const after = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
  return `${before}${[...word.trim()].map(characterSource).join('')}${after}`;
}

/** Matches the character itself, percent-encoded, or as a JSON escape. */
function characterSource(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join('');
  const units = character
    .split('')
    .map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('');
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  return `(?:${literal}|${bytes}|${units})`;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/** The separators of phone numbers, and an encoded space. */
const separators = '(?:[\\s\\p{Pd}\\p{Cf}.()[\\]]|%20){0,3}';

/** Matches a number with or without its country code, in any grouping, and never within a longer number. */
function phoneSource({ full, number }: Phone): string {
  const grouped = (digits: string) => [...digits].join(separators);
  const plus = '(?:\\+|%2b|\\\\u002b|00)?';
  const code = full.slice(0, full.length - (number?.length ?? 0));
  const isShort = number === undefined || number.length < phoneDigitsMin;
  const digits = isShort
    ? `${plus}${grouped(full)}`
    : `(?:${plus}${grouped(code)}${separators})?(?:0${separators})?${grouped(number)}`;
  return `(?:(?<!\\d)|${encodedBefore})${digits}(?!\\d)`;
}
