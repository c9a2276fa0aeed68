/** JSON without surprises: how deep it is, and numbers that keep their digits. */

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

/** Some 16 digits may be more than a double holds; then every number is checked one by one. */
const longNumber = /(?:^|[:[,])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** Parses; a number whose digits a double would change stays as its text. Throws as JSON.parse does. */
export function parseExactJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepExactNumbers) : JSON.parse(text);
}

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
