/**
 * Puts quotes around those numbers of a JSON text whose digits a double would change. One pass over the text, and what
 * a number costs depends on its length alone: no choice of numbers makes a body expensive. Contract 8.6.
 */

/** A double keeps any 15 digits, and prints 17 at most. */
const digitsKept = 15;
const digitsPrintedMax = 17;

/** The text must be valid JSON; it comes back as it is when a double holds all of its numbers. */
export function quoteInexactNumbers(text: string): string {
  let quoted = '';
  let quotedEnd = 0;
  let hasLongNumber = false;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index + 1);
    else if (code === minus || isDigit(code)) {
      // The sign changes no digit.
      const first = code === minus ? index + 1 : index;
      const mantissaEnd = endOfMantissa(text, first);
      const end = endOfExponent(text, mantissaEnd);
      if (mantissaEnd - first > digitsKept || end > mantissaEnd) hasLongNumber = true;
      if (!isExact(text, first, mantissaEnd, end)) {
        quoted += `${text.slice(quotedEnd, index)}"${text.slice(index, end)}"`;
        quotedEnd = end;
      }
      index = end;
    } else index += 1;
  }
  // Without a long number they are all like 0.0000001, which stays a number where nothing in the text looks like one.
  const isQuoted = quotedEnd > 0 && (hasLongNumber || longNumber.test(text));
  return isQuoted ? quoted + text.slice(quotedEnd) : text;
}

/** Also finds one inside a string. */
const longNumber = /(?:^|[:[,])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Nearly all numbers are so short that nothing has to be computed to know it. */
function isExact(text: string, first: number, mantissaEnd: number, end: number): boolean {
  if (mantissaEnd - first <= digitsKept) {
    if (end === mantissaEnd) return !isTiny(text, first, end);
    const size = exponentSize(text, mantissaEnd + 1, end);
    if (size < exponentKept) return true;
    if (size > exponentKeptMax) return skipZeros(text, first, mantissaEnd) === mantissaEnd;
  }
  return isPrintedAlike(text, first, mantissaEnd, end);
}

/**
 * With 15 digits before it or behind their point, a smaller exponent stays between the largest and the smallest double
 * of full precision, and one beyond the second bound leaves nothing but 0 in between.
 */
const exponentKept = 290;
const exponentKeptMax = 345;

/** Of an exponent without regard to its sign. */
function exponentSize(text: string, from: number, end: number): number {
  let size = 0;
  for (let index = from; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) size = size * 10 + code - zero;
  }
  return size;
}

/** Numbers below 0.000001 are printed with an exponent, all but 0. */
function isTiny(text: string, first: number, end: number): boolean {
  if (end - first <= tinyStart.length || !text.startsWith(tinyStart, first)) return false;
  return skipZeros(text, first, end) < end;
}

const tinyStart = '0.000000';

/** True when the number that a double makes of it is printed with the same digits, and with no exponent of its own. */
function isPrintedAlike(text: string, first: number, mantissaEnd: number, end: number): boolean {
  const start = skipZeros(text, first, mantissaEnd);
  const stop = skipZerosBack(text, start, mantissaEnd);
  // One of these may be the point.
  if (stop - start > digitsPrintedMax + 1) return false;
  const printed = String(Number(text.slice(first, end)));
  if (end === mantissaEnd && printed.includes('e')) return false;
  let at = skipZeros(printed, 0, printed.length);
  for (let index = start; index < stop; index += 1) {
    const code = text.charCodeAt(index);
    if (code === point) continue;
    if (printed.charCodeAt(at) === point) at += 1;
    if (printed.charCodeAt(at) !== code) return false;
    at += 1;
  }
  at = skipZeros(printed, at, printed.length);
  return at === printed.length || isExponentSign(printed.charCodeAt(at));
}

/** Past zeros and the point. */
function skipZeros(text: string, from: number, end: number): number {
  let index = from;
  while (index < end && isZeroOrPoint(text.charCodeAt(index))) index += 1;
  return index;
}

function skipZerosBack(text: string, start: number, from: number): number {
  let index = from;
  while (index > start && isZeroOrPoint(text.charCodeAt(index - 1))) index -= 1;
  return index;
}

function endOfString(text: string, from: number): number {
  let index = from;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === quote) return index + 1;
    index += code === backslash ? 2 : 1;
  }
  return index;
}

function endOfMantissa(text: string, from: number): number {
  let index = from;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (!isDigit(code) && code !== point) break;
    index += 1;
  }
  return index;
}

/** Where the mantissa ends when there is no exponent. */
function endOfExponent(text: string, from: number): number {
  if (from === text.length || !isExponentSign(text.charCodeAt(from))) return from;
  // What follows is a sign or a digit.
  return endOfMantissa(text, from + 2);
}

const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

function isZeroOrPoint(code: number): boolean {
  return code === zero || code === point;
}

function isExponentSign(code: number): boolean {
  return code === 0x65 || code === 0x45;
}
