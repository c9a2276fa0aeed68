import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../../src/domain/errors.ts';
import { isNumberText } from '../../src/domain/json/json.ts';
import { readJson } from '../../src/http/read-json.ts';
import { anyText } from '../support/any-text.ts';

const runs = { numRuns: 1_000 };

test('any JSON value is read as it was written', () => {
  const value = fc.jsonValue({ maxDepth: 12, stringUnit: storable() });
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1, '\t'), (written, indent) => {
      const text = JSON.stringify(written, null, indent);
      assert.deepEqual(read(text), JSON.parse(text));
    }),
    runs,
  );
});

test('any double is read as it was written, whatever its size', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = JSON.stringify({ total_amount: number });
      assert.deepEqual(read(text), JSON.parse(text));
    }),
    runs,
  );
});

test('a number that a double would round keeps its exact text', () => {
  const kept = [
    ...[
      '12345678901234567890',
      '9007199254740993',
      '-12345678901234567890',
      '100000000000000000001',
    ],
    '10.000000000000000001',
    '0.10000000000000000001',
    '118.00000000000000001',
    ...[
      '0.1234567890123456789',
      '1234567890.12345678',
      '123456789012345.678',
      '3.14159265358979323846',
    ],
    '1000000000000000000000',
    '0.00000000000000000001',
    '1e400',
    '1e-400',
    '12345678901234567890e-10',
    '1.2345678901234567890123E5',
  ];
  for (const number of kept) {
    assert.deepEqual(read(`{"invoice_id":${number},"other":1}`), { invoice_id: number, other: 1 });
    assert.deepEqual(read(`[${number}, "x"]`), [number, 'x']);
    assert.equal(read(number), number);
  }
});

test('a number that a double holds stays a number', () => {
  const numbers: Readonly<Record<string, number>> = {
    '0': 0,
    '1': 1,
    '-1': -1,
    '118': 118,
    '0.1': 0.1,
    '-0.5': -0.5,
    '10.50': 10.5,
    '1e3': 1_000,
    '1E3': 1_000,
    '1e+3': 1_000,
    '1.5e-3': 0.0015,
    '0e5': 0,
    '1e21': 1e21,
    ...{
      '9007199254740992': 2 ** 53,
      '0.30000000000000004': 0.1 + 0.2,
    },
    '118.000000000000000000': 118,
    '0.000000000000000000': 0,
    '5e-324': 5e-324,
    '99999999999.99': 99999999999.99,
  };
  for (const [text, number] of Object.entries(numbers)) {
    assert.equal(read(text), number, text);
    assert.deepEqual(read(`{"total_amount":${text}}`), { total_amount: number }, text);
  }
});

test('minus zero is read as JSON.parse reads it, beside long numbers too', () => {
  assert.deepEqual(read('[-0, 1]'), [-0, 1]);
  assert.deepEqual(read('[-0, 12345678901234567890]'), [-0, '12345678901234567890']);
});

test('decimal text of up to 40 digits keeps its digits, as a number or as text', () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,19}(\.\d{0,18}[1-9])?$/);
  fc.assert(
    fc.property(digits, (written) => {
      const [value] = read(`[${written}]`) as [unknown];
      if (typeof value === 'string') assert.equal(value, written);
      else assert.equal(String(value), written);
    }),
    runs,
  );
});

test('digits inside text are left alone', () => {
  const body = { invoice_id: '12345678901234567890', note: '1e400 and 10.000000000000000001' };
  assert.deepEqual(read(JSON.stringify(body)), body);
});

test('the last of two fields with one name counts, exact or not', () => {
  assert.deepEqual(read('{"a":1,"a":12345678901234567890}'), { a: '12345678901234567890' });
  assert.deepEqual(read('{"a":12345678901234567890,"a":1}'), { a: 1 });
});

test('a field named like a property of every object is an ordinary field', () => {
  for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1},"b":12345678901234567890}']) {
    const value = read(text) as object;
    assert.deepEqual(Object.keys(value)[0], '__proto__');
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal('a' in value, false);
  }
});

test('bytes that are not UTF-8 are refused', () => {
  const wrong: Readonly<Record<string, readonly number[]>> = {
    'a byte that starts nothing': [0xff],
    'a stray continuation': [0x80],
    'a sequence cut short': [0xe2, 0x82],
    'an overlong slash': [0xc0, 0xaf],
    'an encoded surrogate': [0xed, 0xa0, 0x80],
    'beyond the last character': [0xf4, 0x90, 0x80, 0x80],
    'Latin-1': [0xe9],
  };
  for (const [name, bytes] of Object.entries(wrong)) {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.throws(() => readJson(body), refusal(/UTF-8/), name);
  }
  assert.throws(() => readJson(Buffer.from('{"a":1}', 'utf16le')), refusal(/JSON/));
});

test('text that is not JSON is refused', () => {
  const wrong = [
    '',
    ' ',
    '{',
    '}',
    '[',
    '{]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    "{'a':1}",
    '{a:1}',
    'NaN',
    'Infinity',
    'undefined',
    '01',
    '+1',
    '.5',
    '5.',
    '1e',
    '0x10',
    '1_000',
    '"a',
    'tru',
    ...[
      '{"a":1}{"b":2}',
      '{"a":1} x',
      '/* */ {}',
      '{"a":"\n"}',
      '{"a":"\0"}',
      '"\\x41"',
      '"\\u12"',
    ],
    'a=1&b=2',
    '<xml/>',
    '12345678901234567890x',
    ']'.repeat(40),
    `${']'.repeat(20)}[1]`,
  ];
  for (const text of wrong) assert.throws(() => read(text), refusal(/not valid JSON/), text);
});

test('one byte order mark is skipped, a second one is not', () => {
  assert.deepEqual(read('\ufeff{"a":1}'), { a: 1 });
  assert.throws(() => read('\ufeff\ufeff{"a":1}'), refusal(/not valid JSON/));
  assert.deepEqual(read('{"a":"\ufeff"}'), { a: '\ufeff' });
});

test('16 levels are accepted and 17 are refused, of lists, objects or both', () => {
  const nestings: ReadonlyArray<(depth: number) => string> = [
    (depth) => '['.repeat(depth) + ']'.repeat(depth),
    (depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    alternating,
  ];
  for (const nest of nestings) {
    assert.deepEqual(read(nest(16)), JSON.parse(nest(16)));
    assert.throws(() => read(nest(17)), refusal(/nested deeper than 16 levels/), nest(17));
  }
  assert.throws(() => read('['.repeat(200_000)), refusal(/nested deeper than 16 levels/));
});

test('siblings do not count as nesting', () => {
  const wide = `[${Array.from({ length: 1_000 }, () => '[{"a":[]}]').join(',')}]`;
  assert.deepEqual(read(wide), JSON.parse(wide));
});

test('brackets inside text do not count as nesting', () => {
  const texts = ['['.repeat(100), '{'.repeat(100), '"[{'.repeat(50), '\\"['.repeat(50), '\\[{\\'];
  for (const text of texts) {
    const body = { [text]: text, list: [text] };
    assert.deepEqual(read(JSON.stringify(body)), body);
  }
  const closed = `["${']'.repeat(20)}",${'['.repeat(16)}${']'.repeat(16)}]`;
  assert.throws(() => read(closed), refusal(/nested deeper/));
});

test('text that cannot be stored is refused in names and values, at any depth', () => {
  const wrong = [
    '\\u0000',
    'a\\u0000b',
    '\\ud800',
    '\\udfff',
    '\\ude00\\ud83d',
    '\\ud83d',
    '\\uD83Dx',
  ];
  for (const text of wrong) {
    const bodies = [`"${text}"`, `{"a":"${text}"}`, `{"${text}":1}`, `{"a":[{"b":["${text}"]}]}`];
    for (const body of [...bodies, `{"a":{"${text}":null}}`, `["${text}",12345678901234567890]`]) {
      assert.throws(() => read(body), refusal(/surrogate/), body);
    }
  }
});

test('escapes that can be stored are read', () => {
  const body = '{"\\u0061":"\\ud83d\\ude00 \\u20b9 \\u0001 \\\\u0000 \\ufeff","b":"😀"}';
  assert.deepEqual(read(body), { a: '😀 ₹ \u0001 \\u0000 \ufeff', b: '😀' });
});

test('a top-level value that is not an object is parsed; the caller refuses it', () => {
  for (const text of ['null', 'true', '1', '"text"', '[]']) {
    assert.deepEqual(read(text), JSON.parse(text));
  }
});

function read(text: string): unknown {
  return readJson(Buffer.from(text, 'utf8'));
}

/** Any character but NUL, which is refused. */
function storable(): fc.Arbitrary<string> {
  return anyText({ minLength: 1, maxLength: 1 }).filter((text) => text !== '\0');
}

function alternating(depth: number): string {
  if (depth === 0) return '1';
  const inner = alternating(depth - 1);
  return depth % 2 === 0 ? `[${inner}]` : `{"a":${inner}}`;
}

function refusal(words: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, 'INVALID_REQUEST_PARAMETER');
    assert.match(error.merchantMessage, words);
    return true;
  };
}

test('every number keeps its value or its exact text, at any depth', () => {
  const long = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,20})?([eE][+-]?\d{1,2})?$/);
  const spaces = fc.constantFrom('', ' ', '\n  ');
  const places = fc.constantFrom(
    (number: string, gap: string) => `${gap}${number}`,
    (number: string, gap: string) => `[${gap}${number}]`,
    (number: string, gap: string) => `["o_3e5E7",${gap}${number}]`,
    (number: string, gap: string) => `{"id":"pay_1e9","a":${gap}${number}}`,
  );
  fc.assert(
    fc.property(long, spaces, places, (number, gap, place) => {
      const read: unknown = readJson(Buffer.from(place(number, gap)));
      const values = typeof read === 'object' && read !== null ? Object.values(read) : [read];
      const found = values.at(-1);
      const isKept = found === number || decimalOf(String(found)) === decimalOf(number);
      assert.ok(isKept, `${number} became ${String(found)}`);
    }),
    { numRuns: 2_000 },
  );
});

/** Digits and the position of the point: one form for `12e3`, `12000` and `12000.0`. */
function decimalOf(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^-/, '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const trimmed = digits.replace(/0+$/, '');
  const scale = fraction.length - Number(exponent) - (digits.length - trimmed.length);
  return trimmed === '' ? '0' : `${number.startsWith('-') ? '-' : ''}${trimmed}/${scale}`;
}

test('a number that is held as its text is distinguished from a string with the same text', () => {
  const digits = '0.10000000000000001';
  const body: unknown = read(
    `{"a":${digits},"b":"${digits}","c":0.1,"d":[{"a":"x","b":${digits}},${digits}]}`,
  );
  assert.deepEqual(body, { a: digits, b: digits, c: 0.1, d: [{ a: 'x', b: digits }, digits] });
  const { d } = body as unknown as { d: [object, string] };
  const names = (holder: object) =>
    Object.keys(holder).filter((name) => isNumberText(holder, name));
  assert.deepEqual([names(body as object), names(d[0])], [['a'], ['b']]);
  assert.deepEqual(names(read(`{"a":${digits},"a":"${digits}"}`) as object), []);
});
