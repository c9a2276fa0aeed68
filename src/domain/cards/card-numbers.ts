/**
 * Masks full card numbers in texts before anything is stored, shown or logged. `card-fields.ts` decides which fields
 * are exempt. Contract 8.4 and 8.5.
 */
import {
  type Digits,
  gap,
  looseSeparators,
  readDigits,
  type TextRange,
  usualSeparators,
} from './card-digits.ts';
import { type DecodedText, isEncoded, waysToRead } from './decoded-text.ts';

const digitsMin = 13;
const digitsMax = 19;
/** The first six and last four digits stay visible: enough to recognise a card, too few to use it. */
const firstShown = 6;
const lastShown = 4;

/** Masks every card number in a text, in any grouping and spelling, and changes nothing else. */
export function maskCardNumbers(text: string): string {
  if (!mayHoldDigit.test(text)) return text;
  const plain = findPlainNumber(text);
  if (plain !== undefined && plain !== text && holdsCardNumber(plain))
    return maskCardNumbers(plain);
  if (!mayHoldNumber(text)) return text;
  return maskAllReadings(text, (part, decoded) => {
    const skipped = findOwnIds(decoded.text);
    const digits = readDigits(decoded, { separators: usualSeparators, skipped });
    const hidden = findHidden(digits);
    return hidden ? write(part, digits, hidden) : part;
  });
}

/** A cheap first test: most texts have no digit in any spelling. */
const mayHoldDigit = /\d|[^\0-\x7f]/;

export const holdsCardNumber = (text: string): boolean => maskCardNumbers(text) !== text;

/** Masks any number with as many digits as a card number, without checking the Luhn checksum. */
export function maskCardField(text: string): string {
  if (!mayHoldDigit.test(text) || maskedByProvider.test(text)) return text;
  const plain = findPlainNumber(text) ?? text;
  const masked = maskAllReadings(plain, (part, decoded) => {
    const digits = readDigits(decoded, { separators: looseSeparators });
    const hidden = new Uint8Array(digits.count);
    let from = 0;
    for (let end = 1; end <= hidden.length; end += 1) {
      if (end < hidden.length && digits.gaps[end] !== gap.other) continue;
      if (end - from >= digitsMin) conceal(digits, from, end, hidden);
      from = end;
    }
    return hidden.includes(1) ? write(part, digits, hidden) : part;
  });
  return masked === plain ? text : masked;
}

/** Up to twelve digits on either side of the masking characters, which end a number. */
const maskedByProvider = /^\d{0,12}[xX*]+\d{0,12}$/;

const passesMax = 8;

/**
 * An encoded text can be read in several ways: in "5%378282246310005" the card number follows a percent sign, in
 * "%378282246310005" `%37` may be an encoded digit. Masks all readings until none finds anything.
 */
function maskAllReadings(text: string, mask: (text: string, decoded: DecodedText) => string) {
  let masked = mask(text, { text });
  if (!isEncoded(masked)) return masked;
  for (let pass = 0; pass < passesMax; pass += 1) {
    const before = masked;
    for (const decode of waysToRead(before)) {
      const decoded = decode(masked);
      if (decoded) masked = mask(masked, decoded);
    }
    masked = mask(masked, { text: masked });
    if (masked === before) return masked;
  }
  // Only a crafted text needs so many passes, so all of its digits are masked.
  return masked.replaceAll(/\p{N}/gu, '*');
}

const groupedDigits = /\d(?:[\s.+-]*\d){12}/;
const groupedDigitsOfAnyScript = /\p{Nd}(?:[^\p{L}\p{N}]*\p{Nd}){12}/u;
const notAscii = /[^\0-\x7f]/;

/** A cheap test for every text. It may be true for a text without a card number, and is never false for one with it. */
function mayHoldNumber(text: string): boolean {
  // Seven characters can stand for thirteen digits or more: ⑪⑪⑪⑪⑪⑪⑪.
  if (text.length < 7) return false;
  if (groupedDigits.test(text) || isEncoded(text)) return true;
  return notAscii.test(text) && groupedDigitsOfAnyScript.test(text.normalize('NFKC'));
}

const exponentForm = /^\s*\+?(\d{1,32})(?:\.(\d{1,32}))?e([+-]?\d{1,2})\s*$/i;

/** The digits of a number in exponent form: `4.1e3` gives `4100`. Undefined for other texts and for fractions. */
function findPlainNumber(text: string): string | undefined {
  const [, whole = '', fraction = '', exponent] = exponentForm.exec(text) ?? [];
  if (exponent === undefined) return undefined;
  const shift = Number(exponent) - fraction.length;
  const digits = whole + fraction;
  if (shift >= 0) return digits + '0'.repeat(shift);
  return /^0*$/.test(digits.slice(shift)) ? digits.slice(0, shift) : undefined;
}

/**
 * Our transaction ids and UUIDs contain groups of digits, and about one in a hundred would look like a card number.
 * They are exempt if they contain a letter.
 */
const ownIds =
  /(?<![0-9A-Za-z_])(?:o_[0-9A-Za-z]{16}-\d\d[01]\d[0-3]\d[0-2]\d[0-5]\d[0-5]\d(?:-\d{1,3})?|[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})(?![0-9A-Za-z])/gi;

function findOwnIds(text: string): TextRange[] {
  return [...text.matchAll(ownIds)]
    .filter(([id]) => /[a-z]/i.test(id.slice(2)))
    .map(({ 0: id, index }) => ({ from: index, to: index + id.length }));
}

/**
 * The digits to mask; undefined when there is no card number. A card number consists of whole groups of digits. So a
 * longer run of digits is no card number, and "qty 2 4111 1111 1111 1111" contains one.
 */
function findHidden(digits: Digits): Uint8Array | undefined {
  const { count } = digits;
  const none = new Uint8Array(count);
  const hidden = new Uint8Array(count);
  let isFound = false;
  // Each start is tried on the unmasked digits: overlapping card numbers must all be found.
  for (let from = 0; from + digitsMin <= count; from += 1) {
    const end = findEnd(digits, from, none);
    if (end === undefined) continue;
    conceal(digits, from, end, hidden);
    isFound = true;
  }
  if (!isFound) return undefined;
  // The digits that stay visible are new groups, which may form another card number with their neighbours.
  for (let from = 0; from + digitsMin <= count; ) {
    const end = findEnd(digits, from, hidden);
    if (end === undefined) from += 1;
    else {
      conceal(digits, from, end, hidden);
      from = Math.max(0, from - digitsMax);
    }
  }
  return hidden;
}

function findEnd(digits: Digits, from: number, hidden: Uint8Array): number | undefined {
  if (!mayBegin(digits, from, hidden)) return undefined;
  const { count, values, gaps } = digits;
  const last = Math.min(count, from + digitsMax);
  // Luhn doubles every second digit from the right. The right end is not known yet, so both sums are computed.
  let sum = 0;
  let sumWithLastDoubled = 0;
  let end: number | undefined;
  for (let at = from; at < last; at += 1) {
    if (hidden[at] === 1 || (at > from && gaps[at] === gap.other)) break;
    const value = values[at] ?? 0;
    const doubled = value > 4 ? value * 2 - 9 : value * 2;
    const next = sumWithLastDoubled + value;
    sumWithLastDoubled = sum + doubled;
    sum = next;
    const isLongEnough = at + 1 - from >= digitsMin;
    if (isLongEnough && sum % 10 === 0 && endsGroup(digits, at, hidden)) end = at + 1;
  }
  return end;
}

/** A card number starts at the start of a group, or after leading zeros, with a digit that issuers use. */
function mayBegin({ values, gaps }: Digits, from: number, hidden: Uint8Array): boolean {
  const first = values[from] ?? 0;
  if (hidden[from] === 1 || first < 2 || first === 7 || first === 9) return false;
  let at = from;
  while (gaps[at] === gap.none && hidden[at - 1] !== 1) {
    at -= 1;
    if (values[at] !== 0) return false;
  }
  return true;
}

function endsGroup({ count, gaps }: Digits, at: number, hidden: Uint8Array): boolean {
  return at + 1 === count || gaps[at + 1] !== gap.none || hidden[at + 1] === 1;
}

/** Marks all but the first six and last four digits. A character that stands for several digits is masked whole. */
function conceal({ from: positions }: Digits, from: number, end: number, hidden: Uint8Array): void {
  let [first, last] = [from + firstShown, end - lastShown - 1];
  while (positions[first - 1] === positions[first]) first -= 1;
  while (positions[last + 1] === positions[last]) last += 1;
  hidden.fill(1, first, last + 1);
}

/** Replaces the marked digits only, so that the rest of the text stays readable. */
function write(text: string, { from, to }: Digits, hidden: Uint8Array): string {
  const parts: string[] = [];
  let written = 0;
  for (let at = 0; at < hidden.length; at += 1) {
    if (hidden[at] !== 1) continue;
    parts.push(text.slice(written, from[at]), '*');
    written = to[at] ?? text.length;
  }
  return parts.join('') + text.slice(written);
}
