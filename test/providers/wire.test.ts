import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currencyCodes, getExponent } from '../../src/domain/money/currency.ts';
import { formatAmount } from '../../src/domain/money/money.ts';
import { withoutAbsent } from '../../src/domain/without-absent.ts';
import {
  id,
  isoTime,
  jsonObject,
  majorUnits,
  minorUnits,
  object,
  references,
  text,
  unixSeconds,
} from '../../src/providers/wire.ts';
import { anyText } from '../support/any-text.ts';

const runs = { numRuns: 2_000 };
const anything = fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true });

test('no value makes a reader throw', () => {
  fc.assert(
    fc.property(anything, anything, (value, other) => {
      for (const read of [id, object, text, minorUnits, unixSeconds, isoTime]) read(value);
      majorUnits(value, text(other));
      references(value, other);
    }),
    runs,
  );
});

test('an object is itself; a list, null or anything else has no fields', () => {
  const fields = { a: 1 };
  assert.equal(object(fields), fields);
  for (const value of [[], [fields], null, undefined, '', 'text', 0, 1, true]) {
    assert.deepEqual(object(value), {}, JSON.stringify(value));
  }
});

test('text is a value that is not blank', () => {
  const cases: [unknown, string | undefined][] = [
    ['pay_1', 'pay_1'],
    [' pay 1', ' pay 1'],
    ['é', 'é'],
    ['', undefined],
    ['  \t\n', undefined],
    [7, '7'],
    [0, '0'],
    [118.5, '118.5'],
    [true, 'true'],
    [false, 'false'],
    [null, undefined],
    [undefined, undefined],
    [[], undefined],
    [['a'], undefined],
    [{}, undefined],
  ];
  for (const [value, expected] of cases) {
    assert.equal(text(value), expected, JSON.stringify(value));
  }
});

test('text holds only what PostgreSQL can store, and is never empty', () => {
  assert.equal(text('a\0b'), 'ab');
  assert.equal(text('a\ud800b'), 'a\ufffdb');
  assert.equal(text('\0'), undefined);
  assert.equal(text(' \0 '), undefined);
  fc.assert(
    fc.property(anyText(), (value) => {
      const read = text(value);
      if (read === undefined) return;
      assert.ok(read.isWellFormed() && !read.includes('\0') && read.trim() !== '');
      assert.equal(text(read), read);
    }),
    runs,
  );
});

test('minor units are whole, not negative and exact', () => {
  const cases: [unknown, number | undefined][] = [
    [0, 0],
    [-0, 0],
    [11800, 11800],
    ['11800', 11800],
    ['007', 7],
    [10_000_000_000_000, 10_000_000_000_000],
    [10_000_000_000_001, undefined],
    [Number.MAX_SAFE_INTEGER + 1, undefined],
    ['9007199254740993', undefined],
    [-1, undefined],
    ['-1', undefined],
    [118.5, undefined],
    ['118.00', undefined],
    ['1e3', undefined],
    [' 1', undefined],
    ['', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [null, undefined],
    [true, undefined],
    [[5], undefined],
  ];
  for (const [value, expected] of cases) {
    assert.equal(minorUnits(value), expected, String(value));
  }
});

test('major units become minor units by the decimals of their currency', () => {
  const cases: [unknown, string | undefined, number | undefined][] = [
    [118, 'INR', 11800],
    [118.1, 'INR', 11810],
    ['118.10', 'INR', 11810],
    [0.07, 'INR', 7],
    [1.1, 'INR', 110],
    [500, 'JPY', 500],
    ['500.00', 'JPY', 500],
    [500.5, 'JPY', undefined],
    [1.234, 'KWD', 1234],
    ['1.2340', 'KWD', 1234],
    [1.2345, 'KWD', undefined],
    [1.234, 'INR', undefined],
    [-1, 'INR', undefined],
    ['', 'INR', undefined],
    ['1e3', 'INR', undefined],
    ['1,000.00', 'INR', undefined],
    [1e21, 'INR', undefined],
    [null, 'INR', undefined],
    [true, 'INR', undefined],
    [118, 'ZZZ', undefined],
    [118, 'inr', undefined],
    [118, undefined, undefined],
  ];
  for (const [value, currency, expected] of cases) {
    assert.equal(majorUnits(value, currency), expected, `${value} ${currency}`);
  }
});

test('every amount of every currency is read alike as a number and as text', () => {
  const amount = fc.integer({ min: 0, max: 10_000_000_000_000 });
  fc.assert(
    fc.property(fc.constantFrom(...currencyCodes), amount, (currency, minor) => {
      const major = formatAmount(minor, getExponent(currency));
      assert.equal(majorUnits(major, currency), minor);
      assert.equal(majorUnits(Number(major), currency), minor);
    }),
    runs,
  );
});

test('seconds become whole milliseconds within the years that can be stored', () => {
  const cases: [unknown, number | undefined][] = [
    [1794700042, 1794700042000],
    ['1794700042', 1794700042000],
    [0, 0],
    [-0, 0],
    [4102444799, 4102444799000],
    [4102444800, undefined],
    [1794700042000, undefined],
    [-1, undefined],
    ['', undefined],
    ['soon', undefined],
    [null, undefined],
    [true, undefined],
    [Number.NaN, undefined],
  ];
  for (const [value, expected] of cases) {
    assert.equal(unixSeconds(value), expected, String(value));
  }
  fc.assert(
    fc.property(fc.double({ min: 0, max: 4_102_444_799, noNaN: true }), (value) => {
      const timeMs = unixSeconds(value);
      assert.ok(timeMs === undefined || Number.isSafeInteger(timeMs), `${value} is ${timeMs}`);
    }),
    runs,
  );
});

test('a timestamp is read with its offset, with or without a fraction', () => {
  const moment = Date.UTC(2026, 10, 14, 10, 0, 31);
  const cases: [string, number][] = [
    ['2026-11-14T10:00:31.000Z', moment],
    ['2026-11-14T10:00:31Z', moment],
    ['2026-11-14T10:00:31', moment],
    ['2026-11-14T15:30:31.000+05:30', moment],
    ['2026-11-14T10:00:31.250Z', moment + 250],
  ];
  for (const [value, expected] of cases) assert.equal(isoTime(value), expected, value);
});

test('a value that is not a timestamp has no time', () => {
  const values = [
    '',
    ' ',
    'soon',
    '2026-13-40T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '2100-01-01T00:00:00Z',
    '5',
    '31',
    'order 5',
    'INV-2026-1',
    'Sat Nov 14 2026',
    ...[0, 1794700042, null, undefined, true, [], {}],
  ];
  for (const value of values) assert.equal(isoTime(value), undefined, String(value));
});

test('undefined fields are removed', () => {
  const shape = { a: 1, b: undefined, c: null, d: '', e: 0, f: false };
  assert.deepEqual(withoutAbsent(shape), { a: 1, c: null, d: '', e: 0, f: false });
  assert.deepEqual(Object.keys(withoutAbsent({ b: undefined })), []);
});

test('references are the usable ids, without duplicates, in their order', () => {
  const long = 'x'.repeat(256);
  assert.deepEqual(references('b', null, 'a', '', 'b', 7, '7', long, []), ['b', 'a', '7']);
  assert.deepEqual(references(), []);
});

test('an id is a text of at most 255 characters', () => {
  assert.equal(id('x'.repeat(255)), 'x'.repeat(255));
  assert.equal(id('x'.repeat(256)), undefined);
  assert.equal(id(7), '7');
  for (const value of ['', ' ', null, undefined, [], {}]) assert.equal(id(value), undefined);
});

test('only a JSON object within the depth limit is read, and its numbers keep their digits', () => {
  const read = (value: string) => jsonObject(Buffer.from(value));
  assert.deepEqual(read(' {"a":[1]} '), { a: [1] });
  assert.deepEqual(read('{"id":12345678901234567890}'), { id: '12345678901234567890' });
  for (const value of ['', '[]', 'null', '"a"', '1', '{', '{}}', "{'a':1}", '{"a":}']) {
    assert.equal(read(value), undefined, value);
  }
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  assert.notEqual(read(nested(16)), undefined);
  assert.equal(read(nested(17)), undefined);
  assert.equal(read(nested(20_000)), undefined);
});
