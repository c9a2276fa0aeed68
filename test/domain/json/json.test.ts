import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseExactJson } from '../../../src/domain/json/json.ts';
import { limits } from '../../../src/domain/limits.ts';
import { readJson } from '../../../src/http/read-json.ts';

/**
 * A slow reference implementation: every value passes a reviver, and digits are compared as text. Its cost is
 * quadratic in the length of a number, so it only gets short ones.
 */
function parseSlowly(text: string): unknown {
  const hasLongNumber = /(?:^|[:[,])\s*-?\d(?:[\d.]{15}|[\d.]*[eE])/.test(text);
  return hasLongNumber ? JSON.parse(text, keepExactNumbers) : JSON.parse(text);
}

function keepExactNumbers(_name: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  const printed = String(value);
  const isRewritten = printed.includes('e') && !/e/i.test(source);
  const isExact = !isRewritten && digitsOf(source) === digitsOf(printed);
  return isExact ? value : source;
}

function digitsOf(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return mantissa.replace(/[-+.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
}

const digits = (max: number) => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`));
const whole = fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9]\d{0,24}$/));
const fraction = fc.oneof(
  fc.constant(''),
  digits(20).map((text) => `.${text}`),
  fc.stringMatching(/^\.0{4,9}\d{1,8}$/),
);
const exponent = fc.oneof(
  fc.constant(''),
  fc.stringMatching(/^[eE][+-]?\d{1,2}$/),
  // Around the largest and the smallest double.
  fc.stringMatching(/^[eE](\+?30[5-9]|\+?31\d|-3[0-3]\d)$/),
  fc.stringMatching(/^[eE][+-]?\d{3,6}$/),
);
const written = fc
  .tuple(fc.constantFrom('', '-'), whole, fraction, exponent)
  .map((parts) => parts.join(''));
/** Numbers of 15 to 18 digits: a double preserves some of them and changes others. */
const doubles = fc
  .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 15, max: 18 }))
  .map(([number, precision]) => number.toPrecision(precision));
const zeros = fc.stringMatching(/^-?(0|[1-9]0{0,30})(\.0{1,30})?([eE]-?0{1,4})?$/);
const number = fc.oneof(written, doubles, zeros, fc.integer().map(String));

const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
const plainText = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '\\',
    '"',
    '\\"1e400,',
    ',1e400',
    ':12345678901234567890',
    '[0.00000001',
    '__proto__',
  ),
  number,
);
/** Without escapes, because of the V8 bug that `escaped-names.ts` works around. */
const name = fc.oneof(
  fc.constant('a'),
  plainText.map((text) => text.replace(/[\\"]/g, '')),
);
const quoted = plainText.map((text) => JSON.stringify(text));

/** JSON texts with white space between their parts, and with repeated names. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc
    .tuple(
      space,
      fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        fc.oneof(number, quoted, fc.constantFrom('true', 'false', 'null')),
        fc.array(tie('json')).map((items) => `[${items.join(',')}]`),
        fc
          .array(
            fc.tuple(
              space,
              name.map((text) => JSON.stringify(text)),
              space,
              tie('json'),
            ),
          )
          .map(
            (fields) =>
              `{${fields.map(([, name, gap, value]) => `${name}${gap}:${value}`).join(',')}}`,
          ),
      ),
      space,
    )
    .map((parts) => parts.join('')),
}));

test('every JSON text is read like the reference implementation reads it', () => {
  fc.assert(
    fc.property(json, (text) => {
      assert.deepEqual(parseExactJson(text), parseSlowly(text), text);
    }),
    { numRuns: 2_000 },
  );
});

test('every number alone, in a list and in an object is read like the reference reads it', () => {
  fc.assert(
    fc.property(number, (text) => {
      for (const around of [text, `[${text}]`, `{"a":${text},"b":1}`, `[1e5, ${text} ]`]) {
        assert.deepEqual(parseExactJson(around), parseSlowly(around), around);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('an invalid text is refused exactly when JSON.parse refuses it', () => {
  const pieces = fc.constantFrom(
    '1e400',
    '"',
    ':',
    ',',
    '{',
    '}',
    '[',
    ']',
    ' ',
    '\\',
    'e',
    '-',
    '.',
    '0',
    'x',
  );
  const cut = fc.tuple(json, fc.nat(), fc.nat(3), pieces).map(([text, at, length, piece]) => {
    const from = at % (text.length + 1);
    return `${text.slice(0, from)}${piece}${text.slice(from + length)}`;
  });
  fc.assert(
    fc.property(cut, (text) =>
      assert.deepEqual(outcomeOf(parseExactJson, text), outcomeOf(parseSlowly, text)),
    ),
    { numRuns: 2_000 },
  );
});

test('a number as an object key is refused, even one that would be quoted', () => {
  for (const text of ['{1e400:1}', '{"a":1,12345678901234567890:2}', '{ 0.00000001 : 1e5 }']) {
    assert.throws(() => parseExactJson(text), SyntaxError, text);
  }
});

const bytes = limits.bodyBytesMax;
const plain = fillWith((index) => String(10_000 + (index % 90_000)));

/** Bodies of the same size, each with elements that may be expensive to scan. */
const hostile: Readonly<Record<string, string>> = {
  exponents: fillWith(() => '1e5'),
  'one exponent among small numbers': fillWith((index) => (index === 0 ? '1e5' : '1')),
  'signed exponents': fillWith(() => '1E+5'),
  'fractions with exponents': fillWith(() => '0.1e-7'),
  'tiny numbers': fillWith((index) => (index === 0 ? '1e5' : '0.0000001')),
  'numbers of 16 digits': fillWith((index) =>
    String(9_007_199_254_740_993n + BigInt(index * 7919)),
  ),
  'numbers of 17 digits': fillWith((index) =>
    String(12_345_678_901_234_567n + BigInt(index * 7919)),
  ),
  'fractions of 17 digits': fillWith(
    (index) => `0.${12_345_678_901_234_567n + BigInt(index * 7919)}`,
  ),
  'numbers of 20 digits': fillWith((index) => String(12_345_678_901_234_567_890n + BigInt(index))),
  'too large for a double': fillWith(() => '1e400'),
  'nearly too small for a double': fillWith((index) => `${1 + (index % 9)}e-320`),
  'one number of nothing but digits': `[${'1'.repeat(bytes - 2)}]`,
  'one number of nothing but zeros': `[1${'0'.repeat(bytes - 4)}1]`,
  'one fraction of nothing but zeros': `[0.${'0'.repeat(bytes - 8)}1e5]`,
  'one exponent of nothing but digits': `[1e${'1'.repeat(bytes - 4)}]`,
  'texts of digits': fillWith((index) => (index === 0 ? '1e5' : '"1234567890123456"')),
  'empty texts': fillWith((index) => (index === 0 ? '1e5' : '""')),
  'escaped quotes': `[1e5,"${'\\"'.repeat(bytes / 2 - 5)}"]`,
  'escaped backslashes': `[1e5,"${'\\\\'.repeat(bytes / 2 - 5)}"]`,
  escapes: fillWith((index) => (index === 0 ? '"\\u0061"' : '1')),
  'white space': `[1e5,${' '.repeat(bytes - 10)}1]`,
  'escaped names': `{${'"\\u0061":1,'.repeat(bytes / 11 - 1)}"b":1}`,
  'white space between numbers': fillWith((index) => (index === 0 ? '1e5' : '\n         1')),
  'deep lists': fillWith(() => `${'['.repeat(14)}1e5${']'.repeat(14)}`),
};

for (const [name, text] of Object.entries(hostile)) {
  test(`${name}: a body of 256 KiB takes about as long as any other of its size`, () => {
    assert.ok(text.length > bytes - 100 && text.length <= bytes, String(text.length));
    const ratio = bestRatio(Buffer.from(text), Buffer.from(plain));
    assert.ok(ratio < ratioMax, `${ratio.toFixed(1)} times as much`);
  });
}

/** Numbers of 16 and 17 digits must be printed to be checked, which costs about four times as much. */
const ratioMax = 8;

/** Measured in CPU time of this thread, which does not depend on other processes; one good round is enough. */
function bestRatio(body: Buffer, plainBody: Buffer): number {
  let ratio = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 && ratio >= ratioMax; round += 1) {
    // Some bodies cost more in JSON.parse alone than a list of numbers.
    const least = Math.max(
      cpuOf(() => readJson(plainBody)),
      cpuOf(() => JSON.parse(String(body))),
    );
    ratio = Math.min(ratio, cpuOf(() => readJson(body)) / least);
  }
  return ratio;
}

/** Over enough runs that the clock's resolution of some milliseconds does not matter. */
function cpuOf(work: () => unknown): number {
  work();
  const before = process.threadCpuUsage();
  for (let run = 0; run < 8; run += 1) work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

function fillWith(pieceOf: (index: number) => string): string {
  const pieces: string[] = [];
  let length = 1;
  for (let index = 0; ; index += 1) {
    const piece = pieceOf(index);
    length += piece.length + 1;
    if (length > bytes) return `[${pieces.join(',')}]`;
    pieces.push(piece);
  }
}

function outcomeOf(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return 'refused';
  }
}
