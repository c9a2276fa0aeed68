/**
 * The texts that a text may stand for: with percent-encoding, JSON escapes and character references of markup decoded,
 * each character with its range in the original. Contract 8.5.
 */

export type DecodedText = {
  readonly text: string;
  /** Start and end in the original of each UTF-16 unit; undefined for the original itself. */
  readonly ranges?: { readonly from: Int32Array; readonly to: Int32Array };
};

const utf8 = String.raw`%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}`;
const escapes = String.raw`\\(?:u[\da-f]{4}|[nrt\\])|&(?:amp;|nbsp;|#0*\d{1,7};?|#x0*[\da-f]{1,6};?)`;
const escaped = new RegExp(escapes, 'gi');
const encoded = new RegExp(`${utf8}|${escapes}`, 'gi');

const mayBeEncoded = /%[\da-f]{2}|\\[nrtu\\]|&(?:#|amp;|nbsp;)/i;

/** A cheap test that most texts fail. */
export const isEncoded = (text: string): boolean => mayBeEncoded.test(text);

/** JSON in JSON, or markup in a URL: what is decoded may be encoded again. */
const layersMax = 3;

type Decode = (text: string) => DecodedText | undefined;

/**
 * The ways in which a text can be read. A percent sign may also be one: "5%4111…" is a percentage before a number, so
 * there are ways that leave it as it is.
 */
export function waysToRead(text: string): readonly Decode[] {
  return text.includes('%') ? [...layersOf(escaped), ...layersOf(encoded)] : layersOf(encoded);
}

function layersOf(pattern: RegExp): Decode[] {
  return Array.from({ length: layersMax }, (_, deepest) => (text: string) => {
    let decoded: DecodedText | undefined = { text };
    for (let layer = 0; layer <= deepest && decoded; layer += 1) decoded = decode(decoded, pattern);
    return decoded;
  });
}

/** Undefined if there is nothing to decode. */
function decode({ text, ranges }: DecodedText, pattern: RegExp): DecodedText | undefined {
  const parts: string[] = [];
  const from = new Int32Array(text.length);
  const to = new Int32Array(text.length);
  let count = 0;
  let done = 0;
  const add = (part: string, start: number, end: number | undefined) => {
    parts.push(part);
    for (let unit = 0; unit < part.length; unit += 1, count += 1) {
      const [first, last] = end === undefined ? [start + unit, start + unit] : [start, end - 1];
      from[count] = ranges?.from[first] ?? first;
      to[count] = ranges?.to[last] ?? last + 1;
    }
  };
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const character = characterOf(match);
    if (character === undefined) continue;
    add(text.slice(done, index), done, undefined);
    done = index + match.length;
    add(character, index, done);
  }
  if (done === 0) return undefined;
  add(text.slice(done), done, undefined);
  return { text: parts.join(''), ranges: { from, to } };
}

const names: Readonly<Record<string, string>> = {
  '\\\\': '\\',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '&amp;': '&',
  '&nbsp;': '\u00a0',
};

/** Undefined for what only looks encoded. */
function characterOf(match: string): string | undefined {
  if (match.startsWith('%')) return decodeUtf8(match);
  const named = names[match.toLowerCase()];
  if (named !== undefined) return named;
  if (match.startsWith('\\')) return String.fromCharCode(Number.parseInt(match.slice(2), 16));
  const isHex = /^&#x/i.test(match);
  const code = Number.parseInt(match.slice(isHex ? 3 : 2), isHex ? 16 : 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function decodeUtf8(match: string): string | undefined {
  try {
    return decodeURIComponent(match);
  } catch {
    return undefined;
  }
}
