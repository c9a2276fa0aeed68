import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { currencyCodes, getExponent } from '../../../src/domain/money/currency.ts';
import {
  convertAmount,
  type Decimal,
  formatAmount,
  majorNumber,
  multiplyToMinor,
  parseAmount,
  parseDecimal,
} from '../../../src/domain/money/money.ts';

const runs = { numRuns: 1_000 };
const largest = 10_000_000_000_000;
const currency = fc.constantFrom(...currencyCodes);
const exponent = fc.constantFrom(0, 2, 3, 4);
const minorUnits = fc.oneof(
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: largest }),
);
const decimal: fc.Arbitrary<Decimal> = fc.record({
  digits: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  scale: fc.integer({ min: 0, max: 10 }),
});

test('every amount of every currency round-trips through decimal text', () => {
  fc.assert(
    fc.property(currency, minorUnits, (code, minor) => {
      const text = formatAmount(minor, getExponent(code));
      const outcome = parseAmount(text, getExponent(code));
      assert.deepEqual(outcome, { kind: 'amount', minor });
    }),
    runs,
  );
});

test('decimal text with all decimals of the currency round-trips unchanged', () => {
  fc.assert(
    fc.property(currency, fc.nat(999_999_999), fc.nat(9_999), (code, whole, part) => {
      const decimals = getExponent(code);
      const fraction = String(part).padStart(4, '0').slice(0, decimals);
      const text = decimals === 0 ? `${whole}` : `${whole}.${fraction}`;
      assert.equal(formatAmount(amountOf(text, decimals), decimals), text);
    }),
    runs,
  );
});

test('the number sent in JSON is read as the same minor units', () => {
  fc.assert(
    fc.property(currency, minorUnits, (code, minor) => {
      const printed = JSON.stringify(majorNumber(minor, getExponent(code)));
      assert.equal(amountOf(printed, getExponent(code)), minor);
      assert.equal(amountOf(JSON.parse(printed), getExponent(code)), minor);
    }),
    runs,
  );
});

test('the largest amount is accepted and one minor unit more is refused, in every currency', () => {
  for (const code of currencyCodes) {
    const decimals = getExponent(code);
    assert.equal(amountOf(formatAmount(largest, decimals), decimals), largest, code);
    assert.equal(amountOf(majorNumber(largest, decimals), decimals), largest, code);
    assert.deepEqual(
      parseAmount(formatAmount(largest + 1, decimals), decimals),
      refused('is larger than we can process'),
      code,
    );
  }
});

test('one decimal more than the currency has is refused unless it is a zero', () => {
  fc.assert(
    fc.property(exponent, fc.nat(1_000_000), fc.nat(9), (decimals, minor, extra) => {
      const text = formatAmount(minor * 10 + extra, decimals + 1);
      const outcome = parseAmount(text, decimals);
      if (extra === 0) assert.deepEqual(outcome, { kind: 'amount', minor });
      else assert.equal(outcome.kind, 'refused');
    }),
    runs,
  );
});

test('a refusal for decimals says how many the currency has', () => {
  assert.deepEqual(parseAmount('1.5', 0), refused('has decimals, but the currency has none'));
  assert.deepEqual(
    parseAmount('1.505', 2),
    refused('has more than the 2 decimals of the currency'),
  );
  assert.deepEqual(
    parseAmount('1.00005', 4),
    refused('has more than the 4 decimals of the currency'),
  );
});

test('trailing zeros do not count as decimals', () => {
  assert.equal(amountOf('500.00', 0), 500);
  assert.equal(amountOf('500.0000000000', 0), 500);
  assert.equal(amountOf('10.500', 2), 1_050);
  assert.equal(amountOf('10.5', 2), 1_050);
  assert.equal(amountOf(10.5, 2), 1_050);
  assert.equal(amountOf('007', 2), 700);
  assert.equal(amountOf('0.00', 2), 0);
});

test('a text that is not a plain decimal is no amount', () => {
  const notPlain = [
    '',
    ' ',
    '.',
    '5.',
    '.5',
    ' 5',
    '5 ',
    '5\n',
    '\t5',
    '1 000',
    '1,000',
    '10,50',
    '1_000',
    '-5',
    '-0',
    '-0.01',
    '+5',
    '--5',
    '1e3',
    '1E3',
    '1e-2',
    '1.5e1',
    '0x10',
    '0b1',
    '5n',
    'NaN',
    'Infinity',
    '-Infinity',
    'null',
    'true',
    '1.2.3',
    '5%',
    '₹5',
    '٥',
    '５',
    '1/2',
  ];
  for (const text of notPlain) assertNotDecimal(text);
});

test('negative and non-finite numbers are no amounts', () => {
  const notPlain = [-1, -0.01, -1e-7, -1e21, Number.NaN, Number.POSITIVE_INFINITY];
  for (const number of [...notPlain, Number.NEGATIVE_INFINITY]) assertNotDecimal(number);
});

test('numbers are read by their decimal text and never rounded', () => {
  const cases: ReadonlyArray<readonly [input: number, decimals: number, minor: number]> = [
    [0, 2, 0],
    [-0, 2, 0],
    [0.1, 2, 10],
    [0.3, 2, 30],
    [1.005, 3, 1_005],
    [4.35, 2, 435],
    [1.1, 2, 110],
    [8.2, 2, 820],
    [1e3, 2, 100_000],
    [1e3, 0, 1_000],
    [1e13, 0, largest],
    [0.0001, 4, 1],
    [99999999999.99, 2, 9_999_999_999_999],
    [999999999.9999, 4, 9_999_999_999_999],
  ];
  for (const [input, decimals, minor] of cases) {
    assert.equal(amountOf(input, decimals), minor, `${input} with ${decimals} decimals`);
  }
  assert.equal(parseAmount(0.1 + 0.2, 2).kind, 'refused');
  assert.equal(parseAmount(1.005, 2).kind, 'refused');
  assert.equal(parseAmount(1e21, 0).kind, 'refused');
  assert.equal(parseAmount(1e300, 0).kind, 'refused');
  assert.equal(parseAmount(1e-7, 4).kind, 'refused');
});

test('a number too small for any currency is refused, not read as 0', () => {
  for (const tiny of [1e-29, 1e-31, 1e-40, 1e-300, Number.MIN_VALUE]) {
    assert.equal(parseAmount(tiny, 2).kind, 'refused', String(tiny));
  }
});

test('a number that JavaScript prints with an exponent has the value of its decimal text', () => {
  assert.deepEqual(parseDecimal(1e-7), parseDecimal('0.0000001'));
  assert.deepEqual(parseDecimal(2.5e-7), parseDecimal('0.00000025'));
  assert.deepEqual(parseDecimal(1e21), parseDecimal('1000000000000000000000'));
  assert.deepEqual(parseDecimal(1e23), parseDecimal('100000000000000000000000'));
  assert.deepEqual(parseDecimal(1.5e22), parseDecimal('15000000000000000000000'));
});

test('a decimal is its digits divided by a power of ten, without trailing zeros', () => {
  assert.deepEqual(parseDecimal('83.25'), { digits: 8_325n, scale: 2 });
  assert.deepEqual(parseDecimal('83.2500'), { digits: 8_325n, scale: 2 });
  assert.deepEqual(parseDecimal('100'), { digits: 100n, scale: 0 });
  assert.deepEqual(parseDecimal('0.010'), { digits: 1n, scale: 2 });
  assert.deepEqual(parseDecimal('0.0'), { digits: 0n, scale: 0 });
});

test('conversion rounds half up to the minor unit, for any decimals of both currencies', () => {
  fc.assert(
    fc.property(minorUnits, decimal, exponent, exponent, (minor, rate, from, to) => {
      const exact = convertAmount(minor, rate, from, to);
      fc.pre(Number.isSafeInteger(exact));
      assert.equal(BigInt(exact), convertByLongDivision(minor, rate, from, to));
    }),
    runs,
  );
});

test('conversion rounds exact halves up', () => {
  const cases: ReadonlyArray<readonly [number, string, number, number, number]> = [
    // 1.00 USD at 83.25 is 83.25 INR
    [100, '83.25', 2, 2, 8_325],
    // 0.01 at 0.5 is half a minor unit
    [1, '0.5', 2, 2, 1],
    [1, '0.49999999', 2, 2, 0],
    [3, '0.5', 2, 2, 2],
    // 1.25 INR at 2 is 2.5 JPY
    [125, '2', 2, 0, 3],
    [124, '2', 2, 0, 2],
    // 1 JPY at 0.0025 is 0.0025 KWD
    [1, '0.0025', 0, 3, 3],
    [1, '0.0024', 0, 3, 2],
    // 0.001 KWD at 0.05 is 0.00005 CLF
    [1, '0.05', 3, 4, 1],
    [0, '83.25', 2, 2, 0],
    [largest, '1', 2, 2, largest],
    [largest, '1', 4, 0, 1_000_000_000],
  ];
  for (const [minor, rate, from, to, expected] of cases) {
    assert.equal(
      convertAmount(minor, decimalOf(rate), from, to),
      expected,
      `${minor} (${from} decimals) at ${rate} to ${to} decimals`,
    );
  }
});

test('a rate times a quantity is exact and rounds half up', () => {
  const cases: ReadonlyArray<readonly [string, string, number, number]> = [
    ['50', '2', 2, 10_000],
    ['0.1', '3', 2, 30],
    ['19.99', '3', 2, 5_997],
    ['0.335', '1', 2, 34],
    ['0.334', '1', 2, 33],
    ['0.005', '1', 2, 1],
    ['0.0049', '1', 2, 0],
    ['1.5', '1', 0, 2],
    ['1.5', '0.333', 0, 0],
    ['3.333', '0.3', 3, 1_000],
    ['1.00005', '1', 4, 10_001],
    ['0', '5', 2, 0],
  ];
  for (const [rate, quantity, decimals, expected] of cases) {
    const product = multiplyToMinor(decimalOf(rate), decimalOf(quantity), decimals);
    assert.equal(product, expected, `${rate} times ${quantity} with ${decimals} decimals`);
  }
});

function amountOf(input: string | number, decimals: number): number {
  const outcome = parseAmount(input, decimals);
  if (outcome.kind === 'refused') assert.fail(`${input} was refused: it ${outcome.why}`);
  return outcome.minor;
}

function decimalOf(text: string): Decimal {
  return parseDecimal(text) ?? assert.fail(`${text} is no decimal`);
}

function refused(why: string) {
  return { kind: 'refused', why };
}

function assertNotDecimal(input: string | number): void {
  const label = JSON.stringify(input) ?? String(input);
  assert.equal(parseDecimal(input), undefined, label);
  assert.deepEqual(
    parseAmount(input, 2),
    refused('must be a non-negative decimal number such as 10.50'),
    label,
  );
}

/** Long division digit by digit: the whole part, then the remainder decides the rounding. */
function convertByLongDivision(minor: number, rate: Decimal, from: number, to: number): bigint {
  const dividend = BigInt(`${BigInt(minor) * rate.digits}${'0'.repeat(to)}`);
  const divisor = BigInt(`1${'0'.repeat(rate.scale + from)}`);
  const whole = dividend / divisor;
  const remainder = dividend - whole * divisor;
  return remainder * 2n >= divisor ? whole + 1n : whole;
}
