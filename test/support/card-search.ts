/** Searches everything that a service stores, answers or logs for card numbers, in any spelling. */
import type { Database } from '../../src/postgres/database.ts';
import { zeros } from './card-disguises.ts';

/** Lists the forbidden numbers and codes that were found, with the place where each had been put. */
export function searchTexts(
  texts: Iterable<string>,
  numbers: ReadonlyMap<string, string>,
  codes: ReadonlyMap<string, string>,
): string[] {
  const found = new Set<string>();
  for (const text of [...texts].flatMap((each) => [each, unescaped(each)])) {
    for (const run of plainDigits(text).match(/\d{13,}/g) ?? []) {
      for (let from = 0; from + 13 <= run.length; from += 1) {
        for (let length = 13; length <= 24; length += 1) {
          const where = numbers.get(run.slice(from, from + length));
          if (where !== undefined) found.add(`${where}, found in ${JSON.stringify(text)}`);
        }
      }
    }
    for (const [code] of text.matchAll(/Q\d{7}Q/g)) {
      const where = codes.get(code);
      if (where !== undefined) found.add(`${where}, found in ${JSON.stringify(text)}`);
    }
  }
  return [...found];
}

/** Decodes JSON escapes and entities, as often as one is found within another. */
function unescaped(text: string): string {
  const plain = text
    .replaceAll(/\\+u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d{1,6});/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll(/&#x([\da-f]{1,5});/gi, (_, code) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );
  return plain === text ? plain : unescaped(plain);
}

/** Converts all digits to ASCII and removes all characters that may separate the groups of a number. */
function plainDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, (digit) => {
      const code = digit.codePointAt(0) ?? 0;
      const zero = zeros.find((start) => code >= start && code < start + 10);
      return zero === undefined ? digit : String(code - zero);
    })
    .replaceAll(/[\s\p{Z}\p{Pd}\p{Cf}\p{Mn}.\u00b7\u2212+]/gu, '');
}

/** Every name and text of a value. Encoded texts are also listed decoded. */
export function* textsOf(value: unknown): Generator<string> {
  if (value instanceof Uint8Array) yield* textsOfBody(Buffer.from(value).toString('utf8'));
  else if (typeof value === 'string') yield* textsOfText(value);
  else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [name, entry] of Object.entries(value)) {
      yield name;
      yield* textsOf(entry);
    }
  } else if (value !== undefined && value !== null) yield String(value);
}

function* textsOfBody(text: string): Generator<string> {
  yield* textsOfText(text);
  if (!text.startsWith('{')) {
    for (const pair of new URLSearchParams(text)) yield* pair;
  }
}

function* textsOfText(text: string): Generator<string> {
  yield text;
  if (/^\s*[{[]/.test(text)) {
    try {
      yield* textsOf(JSON.parse(text));
    } catch {
      // Not JSON, so the text itself is enough.
    }
  }
  if (text.includes('%')) yield decodePercents(text);
}

export function decodePercents(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/** Every value of every row of every table. */
export async function readAllColumns(database: Database): Promise<string[]> {
  const { rows: tables } = await database.query<{ name: string }>({
    text: `select format('%I.%I', table_schema, table_name) as name
             from information_schema.tables
            where table_schema not in ('pg_catalog', 'information_schema')
              and table_type = 'BASE TABLE'`,
  });
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query<Record<string, unknown>>({
      text: `select * from ${name}`,
    });
    for (const row of rows) texts.push(...textsOf(row));
  }
  return texts;
}
