/**
 * Quotes the numbers of a JSON text that a double cannot represent digit by digit. It takes one pass, and the cost of a
 * number depends only on its length, so no choice of numbers makes a body expensive. Contract 8.6.
 */

/** A double preserves any 15 significant digits, and prints at most 17. */
const digitsPreserved = 15;
const digitsPrintedMax = 17;

/** The text must be valid JSON. It is returned unchanged when doubles preserve all of its numbers. */
export function quoteInexactNumbers(text: string): string {
  // Nearly all texts. Without a long number only tiny ones could be quoted, like 0.0000001, and those stay numbers.
  if (!longNumber.test(text)) return text;
  let quoted = '';
  let quotedEnd = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index + 1);
    else if (code === minus || isDigit(code)) {
      // The sign changes no digit.
      const first = code === minus ? index + 1 : index;
      const mantissaEnd = endOfMantissa(text, first);
      const end = endOfExponent(text, mantissaEnd);
      if (!isExact(text, first, mantissaEnd, end)) {
        quoted += `${text.slice(quotedEnd, index)}"${text.slice(index, end)}"`;
        quotedEnd = end;
      }
      index = end;
    } else index += 1;
  }
  return quotedEnd > 0 ? quoted + text.slice(quotedEnd) : text;
}

/** Every long number, or one with an exponent. Also matches inside strings. */
const longNumber = /(?:^|[:[,])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Nearly all numbers are short, and their length alone decides. */
function isExact(text: string, first: number, mantissaEnd: number, end: number): boolean {
  if (mantissaEnd - first <= digitsPreserved) {
    if (end === mantissaEnd) return !isTiny(text, first, end);
    const size = exponentSize(text, mantissaEnd + 1, end);
    if (size < exponentSafeBelow) return true;
    if (size > exponentUsableMax) return skipZeros(text, first, mantissaEnd) === mantissaEnd;
  }
  return isPrintedAlike(text, first, mantissaEnd, end);
}

/**
 * With up to 15 digits, a number with an exponent below the first bound is within the range of doubles with full
 * precision. Beyond the second bound every number but 0 is out of range.
 */
const exponentSafeBelow = 290;
const exponentUsableMax = 345;

/** The absolute value of an exponent. */
function exponentSize(text: string, from: number, end: number): number {
  let size = 0;
  for (let index = from; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) size = size * 10 + code - zero;
  }
  return size;
}

/** True for numbers other than 0 below 0.000001, which JavaScript prints with an exponent. */
function isTiny(text: string, first: number, end: number): boolean {
  if (end - first <= tinyStart.length || !text.startsWith(tinyStart, first)) return false;
  return skipZeros(text, first, end) < end;
}

const tinyStart = '0.000000';

/** True when the nearest double is printed with the same digits, and without an exponent that the text does not have. */
function isPrintedAlike(text: string, first: number, mantissaEnd: number, end: number): boolean {
  const start = skipZeros(text, first, mantissaEnd);
  const stop = skipZerosBack(text, start, mantissaEnd);
  // One of the characters may be the decimal point.
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

/** Skips zeros and the decimal point. */
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

/** The end of the exponent, or of the mantissa when there is none. */
function endOfExponent(text: string, from: number): number {
  if (from === text.length || !isExponentSign(text.charCodeAt(from))) return from;
  // The character after `e` is a sign or a digit.
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
