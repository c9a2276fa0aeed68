/**
 * Bytes to JSON value, without losing or inventing anything: bad UTF-8, deep nesting and text that
 * cannot be stored are refused, and numbers that a double would round keep their exact text.
 */
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  refuseDeepNesting(bytes);
  const value = parse(text);
  // Only an escape can bring such text in: raw bytes were valid UTF-8, raw control characters are no JSON.
  if (text.includes('\\u')) refuseUnstorableText(value);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse('The body is not valid UTF-8: encode it as UTF-8.');
  }
}

/** Some 16 digits may be more than a double holds; then every number is checked one by one. */
const longNumber = /[\d.]{16}|\d[eE]/;

function parse(text: string): unknown {
  try {
    return longNumber.test(text) ? JSON.parse(text, keepExactNumbers) : JSON.parse(text);
  } catch {
    return refuse('The body is not valid JSON: check quotes, commas and braces.');
  }
}

/** A number whose digits do not survive stays as text, which amounts and ids accept as well. */
function keepExactNumbers(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  const printed = String(value);
  const isRewritten = printed.includes('e') && !/e/i.test(source);
  const isExact = !isRewritten && significantDigits(source) === significantDigits(printed);
  return isExact ? value : source;
}

function significantDigits(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return mantissa.replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
}

function refuseDeepNesting(bytes: Buffer): void {
  const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] =
    Buffer.from('"\\{}[]');
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (inString) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > limits.nestingMax) {
        refuse(`The body is nested deeper than ${limits.nestingMax} levels: make it flatter.`);
      }
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
}

/** PostgreSQL stores neither the character NUL nor half of a surrogate pair. */
function refuseUnstorableText(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      refuse('The body has text with \\u0000 or half a surrogate pair: remove that character.');
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      refuseUnstorableText(name);
      refuseUnstorableText(member);
    }
  }
}

function refuse(message: string): never {
  throw new ServiceError('INVALID_REQUEST_PARAMETER', message);
}
