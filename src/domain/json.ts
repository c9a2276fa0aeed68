/** JSON without surprises: how deep it is, and numbers that keep their digits. */
import { quoteInexactNumbers } from './inexact-numbers.ts';

/** True when brackets outside strings nest deeper than allowed; told from the bytes alone. */
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

/** Few opening brackets cannot nest deep, and most bodies have few. */
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

/** Parses; a number whose digits a double would change stays as its text. Throws as JSON.parse does. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const quoted = quoteInexactNumbers(text);
  return quoted === text ? value : JSON.parse(quoted);
}
