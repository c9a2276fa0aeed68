/**
 * The digits of a text as a person reads them: in any script, as compatibility characters such as full-width digits, or
 * percent-encoded, and how they are grouped. Which of them are a card number is decided elsewhere. Contract 8.5.
 */

export type Digits = {
  readonly count: number;
  /** 0 to 9 each. */
  readonly values: Uint8Array;
  /** Where the character of each digit stands in the text. One character may be two digits. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** What stands between each digit and the one before it. */
  readonly gaps: Uint8Array;
};

export const gap = { none: 0, separator: 1, other: 2 } as const;

/** What may stand within a number. */
export type Separators = {
  readonly has: (character: string) => boolean;
  /** The same for each ASCII character: most texts have no other. */
  readonly ascii: Uint8Array;
};

/** Spaces, dashes and dots of every kind, and characters that cannot be seen. */
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

export type Reading = {
  readonly separators: Separators;
  /** Percent-encoded characters count as what they stand for. */
  readonly isDecoding: boolean;
  /** Stretches of the text, in order, whose digits do not count. */
  readonly skipped?: readonly Stretch[];
};

export function readDigits(text: string, { separators, isDecoding, skipped }: Reading): Digits {
  const countMax = digitsOfCharacterMax * text.length;
  const [values, gaps] = [new Uint8Array(countMax), new Uint8Array(countMax)];
  const [from, to] = [new Int32Array(countMax), new Int32Array(countMax)];
  let count = 0;
  let current: number = gap.other;
  const add = (value: number, start: number, end: number) => {
    values[count] = value;
    from[count] = start;
    to[count] = end;
    gaps[count] = current;
    count += 1;
    current = gap.none;
  };
  const pass = (isSeparator: boolean) => {
    if (current !== gap.other) current = isSeparator ? gap.separator : gap.other;
  };
  let nextSkipped = 0;
  for (let at = 0; at < text.length; ) {
    const stretch = skipped?.[nextSkipped];
    const code = text.charCodeAt(at);
    if (stretch && at >= stretch.from) {
      at = stretch.to;
      nextSkipped += 1;
      pass(false);
    } else if (code >= zero && code <= nine) {
      add(code - zero, at, at + 1);
      at += 1;
    } else if (code < 0x80 && !(isDecoding && code === percent)) {
      // A plus is a space in the query of a URL, and the beginning of a telephone number elsewhere.
      pass(separators.ascii[code] === 1 || (code === plus && current === gap.none));
      at += 1;
    } else {
      const { character, end } = readCharacter(text, at);
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

export type Stretch = { readonly from: number; readonly to: number };

/** `⑳` is two digits, `⅒` three, and no character is more. */
const digitsOfCharacterMax = 3;
const [zero, nine, percent, plus] = [0x30, 0x39, 0x25, 0x2b];
const decimalDigit = /\p{Nd}/u;

/** One character, which may be written as its bytes in percent-encoding. */
function readCharacter(text: string, at: number): { character: string; end: number } {
  if (text.charCodeAt(at) === percent) {
    const byte = Number.parseInt(/^[\da-f]{2}$/i.exec(text.slice(at + 1, at + 3))?.[0] ?? '', 16);
    const end = at + 3 * bytesOfCharacter(byte);
    const character = Number.isNaN(byte) ? undefined : decode(text.slice(at, end));
    if (character !== undefined) return { character, end };
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return { character, end: at + character.length };
}

/** By the first byte of it in UTF-8. */
function bytesOfCharacter(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}

function decode(encoded: string): string | undefined {
  try {
    const character = decodeURIComponent(encoded);
    return [...character].length === 1 ? character : undefined;
  } catch {
    return undefined;
  }
}

/** `４` is 4, `⑪` is 1 and 1, `⒋` is 4 and a dot. */
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
  // Every script has its ten digits in one row, and rows that touch are whole.
  let start = code;
  while (decimalDigit.test(String.fromCodePoint(start - 1))) start -= 1;
  const value = (code - start) % 10;
  valuesByCode.set(code, value);
  return value;
}
