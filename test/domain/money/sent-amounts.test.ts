import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAmount, parseSentAmount, type SentAmount } from '../../../src/domain/money/money.ts';

const runs = { numRuns: 2_000 };
const exponent = fc.constantFrom(0, 2, 3, 4);
const minorUnits = fc.integer({ min: 0, max: 100_000_000 });

test('rounding errors of real shops are read as the intended amounts', () => {
  const cases: ReadonlyArray<readonly [input: SentAmount, decimals: number, minor: number]> = [
    [0.1 + 0.2, 2, 30],
    [0.19999999999999998, 2, 20],
    [1234.5600000000002, 2, 123_456],
    [4.35 * 100, 2, 43_500],
    [1.1 * 3, 2, 330],
    [19.99 * 3, 2, 5_997],
    [0.1 * 3, 3, 300],
    [117.99999999999999, 0, 118],
    [1.00010000000002, 4, 10_001],
    [0.3 - 0.1 - 0.2, 2, 0],
    [0.1 + 0.2 - 0.3, 2, 0],
    [text('0.10000000000000001'), 2, 10],
    [text('19.989999999999998436805981327779591083526611328125'), 2, 1_999],
    [text('118.00000000000000000001'), 2, 11_800],
    [text('2.0000000000000001e-1'), 2, 20],
    [text('1.17999999999999999999E+2'), 2, 11_800],
    [text('100000000000.000000001'), 2, 10_000_000_000_000],
  ];
  for (const [input, decimals, minor] of cases) {
    assert.equal(amountOf(input, decimals), minor, JSON.stringify(input));
  }
});

test('a number may differ from an amount by at most a millionth of a minor unit', () => {
  const cases: ReadonlyArray<readonly [off: string, decimals: number, accepted: boolean]> = [
    ['0.00000001', 2, true],
    ['0.00000001000000000000000001', 2, false],
    ['0.000000011', 2, false],
    ['0.000001', 0, true],
    ['0.0000011', 0, false],
    ['0.000000001', 3, true],
    ['0.0000000010000001', 3, false],
    ['0.0000000001', 4, true],
    ['0.0000000002', 4, false],
  ];
  for (const [off, decimals, accepted] of cases) {
    for (const sign of [1, -1]) {
      const sent = text(plus('7', off, sign));
      const outcome = parseSentAmount(sent, decimals);
      assert.equal(outcome.kind === 'amount', accepted, `${sent.numberText} with ${decimals}`);
      if (outcome.kind === 'amount') assert.equal(outcome.minor, 7 * 10 ** decimals);
    }
  }
});

test('sums computed with doubles are read as the exact sum', () => {
  const price = fc.integer({ min: 0, max: 10_000_000 });
  const prices = fc.array(price, { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(prices, exponent, fc.boolean(), (minors, decimals, asPhp) => {
      const sum = minors.reduce((total, minor) => total + major(minor, decimals), 0);
      const exact = minors.reduce((total, minor) => total + minor, 0);
      assert.equal(amountOf(asPhp ? printedByPhp(sum) : sum, decimals), exact);
    }),
    runs,
  );
});

test('products computed with doubles are read as the exact product', () => {
  const price = fc.integer({ min: 0, max: 10_000_000 });
  fc.assert(
    fc.property(price, fc.integer({ min: 1, max: 99 }), exponent, (minor, quantity, decimals) => {
      const product = major(minor, decimals) * quantity;
      assert.equal(amountOf(product, decimals), minor * quantity);
      assert.equal(amountOf(printedByPhp(product), decimals), minor * quantity);
    }),
    runs,
  );
});

test('a number that differs by more than a millionth of a minor unit is refused', () => {
  const off = fc.double({ min: 1.001e-6, max: 0.499999, noNaN: true });
  fc.assert(
    fc.property(minorUnits, exponent, off, fc.boolean(), (minor, decimals, by, isLess) => {
      const shift = by.toFixed(20);
      const sent = scaled(plus(String(minor + 1), shift, isLess ? -1 : 1), decimals);
      const outcome = parseSentAmount(text(sent), decimals);
      assert.equal(outcome.kind, 'refused', sent);
    }),
    runs,
  );
});

test('a decimal string is read exactly, without correction', () => {
  for (const written of [
    '0.19999999999999998',
    '0.30000000000000004',
    '118.00000000000000000001',
  ]) {
    assert.equal(parseSentAmount(written, 2).kind, 'refused', written);
  }
  const tail = fc.stringMatching(/^0{0,12}[1-9]{1,4}$/);
  fc.assert(
    fc.property(minorUnits, exponent, tail, (minor, decimals, digits) => {
      const exact = formatAmount(minor, decimals);
      const written = `${exact}${decimals === 0 ? '.' : ''}${digits}`;
      assert.equal(parseSentAmount(exact, decimals).kind, 'amount');
      assert.equal(parseSentAmount(written, decimals).kind, 'refused', written);
    }),
    runs,
  );
});

test('numbers that are no amounts are refused with the reason', () => {
  const notDecimal = 'must be a non-negative decimal number such as 10.50';
  const cases: ReadonlyArray<readonly [input: SentAmount, why: string]> = [
    [-1, notDecimal],
    [-0.01, notDecimal],
    [-1e-7, notDecimal],
    [text('-118.00000000000000000001'), notDecimal],
    [Number.NaN, notDecimal],
    [Number.POSITIVE_INFINITY, notDecimal],
    [text('1e4000'), notDecimal],
    ['1e2', notDecimal],
    [118.001, 'has more than the 2 decimals of the currency'],
    [text('118.0010000000000000001'), 'has more than the 2 decimals of the currency'],
    [1e30, 'is larger than we can process'],
    [text('1e400'), 'is larger than we can process'],
    [text('99999999999999999999999'), 'is larger than we can process'],
    [text('100000000000.0100000000001'), 'is larger than we can process'],
  ];
  for (const [input, why] of cases) {
    assert.deepEqual(parseSentAmount(input, 2), { kind: 'refused', why }, JSON.stringify(input));
  }
});

function amountOf(input: SentAmount, decimals: number): number {
  const outcome = parseSentAmount(input, decimals);
  if (outcome.kind === 'refused') {
    assert.fail(`${JSON.stringify(input)} was refused: it ${outcome.why}`);
  }
  return outcome.minor;
}

function text(numberText: string) {
  return { numberText };
}

/** A price as a shop computes it: the double nearest to its decimals. */
function major(minor: number, decimals: number): number {
  return Number(formatAmount(minor, decimals));
}

/** With 17 significant digits, as older versions of PHP print numbers. */
function printedByPhp(value: number) {
  return text(value === 0 ? '0' : String(value.toPrecision(17)));
}

/** Adds or subtracts decimal texts of the same sign digit by digit. */
function plus(left: string, right: string, sign: number): string {
  const scale = Math.max(...[left, right].map((value) => (value.split('.')[1] ?? '').length));
  const digits = (value: string) => {
    const [whole = '', fraction = ''] = value.split('.');
    return BigInt(whole + fraction.padEnd(scale, '0'));
  };
  const sum = digits(left) + BigInt(sign) * digits(right);
  const padded = String(sum).padStart(scale + 1, '0');
  return scale === 0 ? padded : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** Decimal text in minor units to decimal text in major units. */
function scaled(minor: string, decimals: number): string {
  const [whole = '', fraction = ''] = minor.split('.');
  const padded = whole.padStart(decimals + 1, '0');
  const point = padded.length - decimals;
  return `${padded.slice(0, point)}.${padded.slice(point)}${fraction}`;
}
