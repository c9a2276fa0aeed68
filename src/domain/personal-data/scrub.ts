/** Finds personal values in texts of any kind and puts a marker in their place, however they are written there. */

/** Stands where personal data was. */
export const erasedMarker = '[erased]';

export type Phone = {
  /** All digits, beginning with the country code. */
  readonly full: string;
  /** The digits behind the country code, where it is known how long that is. */
  readonly number?: string;
};

export type PersonalValues = {
  /** E-mail addresses, UPI ids, names: found as whole words, in any case. */
  readonly words: readonly string[];
  readonly phones: readonly Phone[];
};

export type Scrub = (text: string) => string;

/** The same text again where it mentions none of the values. */
export function createScrub(values: PersonalValues): Scrub {
  const pattern = findPattern(values);
  return pattern ? (text) => text.replace(pattern, erasedMarker) : (text) => text;
}

/** True for a text that mentions one of the values. */
export function createSearch(values: PersonalValues): (text: string) => boolean {
  const pattern = findPattern(values);
  return (text) => pattern !== undefined && text.search(pattern) !== -1;
}

/** Shorter ones stand in too many texts by chance. */
const wordCharsMin = 4;
const phoneDigitsMin = 6;

function findPattern({ words, phones }: PersonalValues): RegExp | undefined {
  const sources = new Set([
    ...words.filter((word) => word.trim().length >= wordCharsMin).map(wordSource),
    ...phones.filter(({ full }) => full.length >= phoneDigitsMin).map(phoneSource),
  ]);
  return sources.size === 0 ? undefined : new RegExp([...sources].join('|'), 'giu');
}

/** Behind an encoded character or an escape a word begins as well. */
const encodedBefore = '(?<=%[0-9a-f]{2})|(?<=\\\\[bfnrt])';

/** Not within a longer word: `natasha@example.com` is not `asha@example.com`. */
function wordSource(word: string): string {
  const before = `(?:(?<![\\p{L}\\p{N}._+-])|${encodedBefore})`;
  const after = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
  return `${before}${[...word.trim()].map(characterSource).join('')}${after}`;
}

/** As it is, percent-encoded, or as JSON may escape it. */
function characterSource(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`).join('');
  const units = character
    .split('')
    .map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('');
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
  return `(?:${literal}|${bytes}|${units})`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** As in the numbers of orders, and an encoded space. */
const separators = '(?:[\\s\\p{Pd}\\p{Cf}.()[\\]]|%20){0,3}';

/** With or without its country code, in groups of any kind; never within a longer number. */
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
