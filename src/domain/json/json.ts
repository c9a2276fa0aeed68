/** Parses JSON without losing digits of numbers, and checks how deeply it is nested. */
import { quoteInexactNumbers } from './inexact-numbers.ts';

/** True when brackets outside strings nest deeper than allowed. It reads raw bytes, before anything is parsed. */
export function isNestedDeeper(bytes: Buffer, levelsMax: number): boolean {
  if (!hasMoreBrackets(bytes, levelsMax)) return false;
  const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = codes;
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
      if (depth > levelsMax) return true;
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1;
  }
  return false;
}

const codes = Buffer.from('"\\{}[]');

/** A cheap first test: most bodies have too few brackets to nest deeply. */
function hasMoreBrackets(bytes: Buffer, max: number): boolean {
  let count = 0;
  for (const bracket of [codes[2], codes[4]]) {
    let at = bytes.indexOf(bracket ?? 0);
    while (at !== -1) {
      count += 1;
      if (count > max) return true;
      at = bytes.indexOf(bracket ?? 0, at + 1);
    }
  }
  return false;
}

/**
 * Parses JSON. A number whose digits a double would change becomes a string, and `isNumberText` tells it from a real
 * string. Throws like JSON.parse.
 */
export function parseExactJson(sent: string): unknown {
  // Parsed first, because the next steps need valid JSON.
  const parsed: unknown = JSON.parse(sent);
  const text = resolveEscapedNames(sent);
  const value: unknown = text === sent ? parsed : JSON.parse(text);
  const quoted = quoteInexactNumbers(text);
  if (quoted === text) return value;
  const exact: unknown = JSON.parse(quoted);
  noteNumberTexts(value, exact);
  return exact;
}

/** The fields in which a string stands for a number, by the object that contains them. */
const numberTexts = new WeakMap<object, Set<string>>();

/** True when `parseExactJson` read a number in that field and returned its text. Array elements are not tracked. */
export function isNumberText(holder: object, name: string): boolean {
  return numberTexts.get(holder)?.has(name) === true;
}

/** Moves a field to another name, with the mark of `isNumberText`. */
export function renameField(holder: Record<string, unknown>, from: string, to: string): void {
  holder[to] = holder[from];
  delete holder[from];
  if (isNumberText(holder, from)) numberTexts.get(holder)?.add(to);
}

/** Both values come from one text and differ only where a number has become a string. */
function noteNumberTexts(value: unknown, exact: unknown): void {
  if (Array.isArray(value) && Array.isArray(exact)) {
    for (const [index, entry] of value.entries()) {
      if (typeof entry === 'object') noteNumberTexts(entry, exact[index]);
    }
    return;
  }
  if (!isObject(value) || !isObject(exact)) return;
  for (const name of Object.keys(value)) {
    if (typeof value[name] !== 'number') noteNumberTexts(value[name], exact[name]);
    else if (typeof exact[name] === 'string') {
      numberTexts.set(exact, (numberTexts.get(exact) ?? new Set()).add(name));
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A string, and the colon after it if it is a name. There is only one way to match, so no backtracking. */
const strings = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/gs;

/**
 * Returns equivalent JSON in which the escapes of field names are replaced by the characters they stand for, as far as
 * JSON allows. It works around a V8 bug (nodejs/node#63785): after `JSON.parse` has read a name with a backslash, it may
 * return that name for another one that is written with an escape, so one merchant's body could change the names in
 * another's. The text must be valid JSON; on other texts the expression may be slow.
 */
export function resolveEscapedNames(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(strings, (all, string: string, colon: string | undefined) =>
    // The bug does not affect string values.
    colon !== undefined && string.includes('\\') ? JSON.stringify(JSON.parse(string)) + colon : all,
  );
}
