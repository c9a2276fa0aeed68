/**
 * Reads the digits of a text as a person would: in any script, as compatibility characters such as full-width digits,
 * with their grouping. `card-numbers.ts` decides which of them form a card number. Contract 8.5.
 */
import type { DecodedText } from './decoded-text.ts';

export type Digits = ReturnType<typeof readDigits>;

export const gap = { none: 0, separator: 1, other: 2 } as const;

type Separators = {
  readonly has: (character: string) => boolean;
  /** The same as a lookup table for ASCII, because most texts have no other characters. */
  readonly ascii: Uint8Array;
};

/** Spaces, dashes and dots of every kind, and invisible characters. */
const separator =
  /[\s\p{Zs}\p{Pd}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}.\u00b7\u2022\u2027\u2043\u2212\u2219\u22c5\u3002\u30fb\uff61]/u;
export const usualSeparators = separatorsOf((character) => separator.test(character));

/** In a card field only letters and masking characters end a number. */
export const looseSeparators = separatorsOf((character) => !/[\p{L}*]/u.test(character));

function separatorsOf(has: (character: string) => boolean): Separators {
  const ascii = Uint8Array.from({ length: 0x80 }, (_, code) =>
    Number(has(String.fromCharCode(code))),
  );
  return { has, ascii };
}

/** `skipped`: ranges of the text, in order, whose digits are ignored. */
export function readDigits(
  { text, ranges }: DecodedText,
  { separators, skipped }: { separators: Separators; skipped?: readonly TextRange[] },
) {
  const countMax = digitsOfCharacterMax * text.length;
  const values = new Uint8Array(countMax);
  /** What separates each digit from the previous one: a value of `gap`. */
  const gaps = new Uint8Array(countMax);
  /** Start and end of each digit's character in the original. One character may stand for several digits. */
  const [from, to] = [new Int32Array(countMax), new Int32Array(countMax)];
  let count = 0;
  let current: number = gap.other;
  const add = (value: number, start: number, end: number) => {
    values[count] = value;
    from[count] = ranges?.from[start] ?? start;
    to[count] = ranges?.to[end - 1] ?? end;
    gaps[count] = current;
    count += 1;
    current = gap.none;
  };
  const pass = (isSeparator: boolean) => {
    if (current !== gap.other) current = isSeparator ? gap.separator : gap.other;
  };
  let nextSkipped = 0;
  for (let at = 0; at < text.length; ) {
    const range = skipped?.[nextSkipped];
    const code = text.charCodeAt(at);
    if (range && at >= range.from) {
      at = range.to;
      nextSkipped += 1;
      pass(false);
    } else if (code >= zero && code <= nine) {
      add(code - zero, at, at + 1);
      at += 1;
    } else if (code < 0x80) {
      // A plus right after a digit is a space of a URL's query. Elsewhere it starts a phone number.
      pass(separators.ascii[code] === 1 || (code === plus && current === gap.none));
      at += 1;
    } else {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      const end = at + character.length;
      for (const plain of plainCharactersOf(character)) {
        const value = findValue(plain);
        if (value === undefined) pass(separators.has(plain));
        else add(value, at, end);
      }
      at = end;
    }
  }
  return { count, values, from, to, gaps };
}

export type TextRange = { readonly from: number; readonly to: number };

/** `⑳` is two digits and `⅒` three; no character stands for more. */
const digitsOfCharacterMax = 3;
const [zero, nine, plus] = [0x30, 0x39, 0x2b];
const decimalDigit = /\p{Nd}/u;

/** `４` becomes `4`, `⑪` becomes `11`, `⒋` becomes `4.`. */
function plainCharactersOf(character: string): Iterable<string> {
  return character < '\x80' || separator.test(character)
    ? [character]
    : character.normalize('NFKC');
}

const valuesByCode = new Map<number, number>();

function findValue(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return code >= zero && code <= nine ? code - zero : undefined;
  if (!decimalDigit.test(character)) return undefined;
  const known = valuesByCode.get(code);
  if (known !== undefined) return known;
  // Unicode assigns the ten digits of a script to consecutive code points; adjacent blocks of ten are complete.
  let start = code;
  while (decimalDigit.test(String.fromCodePoint(start - 1))) start -= 1;
  const value = (code - start) % 10;
  valuesByCode.set(code, value);
  return value;
}
