import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { holdsCardNumber } from '../../../src/domain/cards/card-numbers.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import { findCountryCode, readPhone, type SentPhone } from '../../../src/domain/orders/phone.ts';

const runs = { numRuns: 2_000 };
const indian = { countryCode: '+91', mobileNumber: '9876543210' };

test('every spelling of a number is the same number', () => {
  const spellings: readonly SentPhone[] = [
    { mobileNumber: '9876543210' },
    { mobileNumber: 9876543210 },
    { mobileNumber: '98765 43210' },
    { mobileNumber: '98765-43210' },
    { mobileNumber: '(98765) 43210' },
    { mobileNumber: '[98765] 43210' },
    { mobileNumber: '98765.43210' },
    { mobileNumber: '09876543210' },
    { mobileNumber: '0 98765 43210' },
    { mobileNumber: '+919876543210' },
    { mobileNumber: '+91 98765 43210' },
    { mobileNumber: '+91-98765-43210' },
    { mobileNumber: '+91 (0) 98765 43210' },
    { mobileNumber: '(+91) 98765 43210' },
    { mobileNumber: '+ 91 98765 43210' },
    { mobileNumber: '00919876543210' },
    { mobileNumber: '0091 98765 43210' },
    { mobileNumber: '0091 (0)98765 43210' },
    { mobileNumber: '+91\u00a098765\u201143210' },
    { mobileNumber: '\u202a+91 98765 43210\u202c' },
    { mobileNumber: '＋９１ ９８７６５ ４３２１０' },
    { mobileNumber: '  9876543210  ' },
  ];
  for (const sent of spellings) {
    assert.deepEqual(readPhone('', sent), indian, JSON.stringify(sent));
    for (const countryCode of ['91', '+91', '0091', ' +91 ', 91]) {
      assert.deepEqual(readPhone('', { ...sent, countryCode }), indian, JSON.stringify(sent));
    }
  }
});

test('any number with any separators is read as its digits', () => {
  const national = fc.stringMatching(/^[1-9]\d{3,14}$/);
  const separator = fc.constantFrom('', '', ' ', '-', '.', '(', ')', '  ', ' - ', '\u00a0', '–');
  const prefix = fc.constantFrom('', '+44', '0044', '+440', '0', '(0)', '+44 (0)');
  const separators = fc.array(separator, { minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(national, prefix, separators, (digits, before, between) => {
      const grouped = [...digits].map((digit, at) => `${between[at]}${digit}`).join('');
      const mobileNumber = before + grouped;
      const groups = grouped.replaceAll(/\D+/g, ' ');
      fc.pre(![digits, `44${digits}`, groups].some(holdsCardNumber));
      const read = readPhone('', { mobileNumber, countryCode: '44' });
      assert.deepEqual(read, { countryCode: '+44', mobileNumber: digits }, mobileNumber);
    }),
    runs,
  );
});

test('a missing country code is taken from the number, or else is +91', () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['+1 415 555 0100', '+1', '4155550100'],
    ['001 415 555 0100', '+1', '4155550100'],
    ['+1 242 357 0000', '+1', '2423570000'],
    ['+44 7911 123456', '+44', '7911123456'],
    ['+7 701 123 4567', '+7', '7011234567'],
    ['+971 50 123 4567', '+971', '501234567'],
    ['+977-9841234567', '+977', '9841234567'],
    ['+880 1712 345678', '+880', '1712345678'],
    ['+49 (0)1512 3456789', '+49', '15123456789'],
    ['+4915112345678', '+49', '15112345678'],
    ['9876543210', '+91', '9876543210'],
    ['0098765432', '+98', '765432'],
  ];
  for (const [sent, countryCode, mobileNumber] of cases) {
    assert.deepEqual(readPhone('', { mobileNumber: sent }), { countryCode, mobileNumber }, sent);
  }
});

test('a country code is stored without a number, and +91 when both are missing', () => {
  assert.deepEqual(readPhone('', {}), { countryCode: '+91' });
  assert.deepEqual(readPhone('', { countryCode: '0044' }), { countryCode: '+44' });
});

test('a number that contradicts the country code is refused, and both are named', () => {
  for (const mobileNumber of ['+44 7911 123456', '0044 7911 123456']) {
    for (const countryCode of ['91', '+91', '0091']) {
      assertRefused({ mobileNumber, countryCode }, /^user\.mobile_number .*\+44.*\+91/);
    }
  }
  assertRefused({ mobileNumber: '+999 12345678', countryCode: '+91' }, /mobile_number .*\+91/);
});

test('an invalid number is refused, and the message says what is accepted', () => {
  const wrong = [
    '123',
    '0123',
    '+91 123',
    '+91',
    '+',
    '00',
    '0000',
    '',
    ' ',
    '()',
    '1234567890123456',
    '+91 1234567890123456',
    '98765 4321O',
    '98765/43210',
    '98765,43210',
    '9876543210 ext 5',
    '+91+9876543210',
    '98765+43210',
    '******3210',
    '९८७६५४३२१०',
    '98765x',
    -9876543210,
    98765.5,
    1e21,
    Number.NaN,
  ];
  for (const mobileNumber of wrong) {
    assertRefused(
      { mobileNumber },
      /^user\.mobile_number must be 4 to 15 digits.*\+91 98765 43210/,
    );
  }
  for (const mobileNumber of ['+999 12345678', '+210 12345678', '00 999 12345678']) {
    assertRefused({ mobileNumber }, /^user\.mobile_number .*no known country code.*country_code/);
  }
});

test('a card number is refused as a mobile number in any spelling', () => {
  const spellings = [
    '378282246310005',
    '3782 822463 10005',
    '+91 378282246310005',
    // Beside other groups of digits, which together make a number of 15 digits.
    ...[
      '12 3505.9935.7925.4',
      '+12 3505 9935 79254',
      '3505 9935 7925 4 12',
      '00 1 2 3505993579254',
    ],
  ];
  for (const mobileNumber of spellings) {
    assertRefused({ mobileNumber }, /^user\.mobile_number .*card number/);
  }
  for (const mobileNumber of [
    '+49 1512 34567890',
    '0049 1512 34567890',
    '＋４９ １５１２ ３４５６７８９０',
  ]) {
    assert.equal(readPhone('', { mobileNumber }).mobileNumber, '151234567890');
  }
});

test('an invalid country code is refused', () => {
  for (const countryCode of [
    '+',
    '00',
    'IN',
    '+12345',
    '9 1',
    '091',
    '+0',
    '++91',
    '91x',
    -91,
    9.1,
  ]) {
    const sent = { countryCode, mobileNumber: '9876543210' };
    assertRefused(sent, /^user\.country_code must be .*91, \+91 or 0091/);
  }
});

test('no country code of ITU-T E.164 is a prefix of another', () => {
  const known: string[] = [];
  for (let code = 1; code < 1_000; code += 1) {
    if (findCountryCode(`${code}5550100`)?.length === String(code).length) known.push(String(code));
  }
  assert.equal(known.length > 200, true);
  for (const code of known) {
    assert.equal(findCountryCode(`${code}999999999`), code);
    assert.deepEqual(
      known.filter((other) => other !== code && other.startsWith(code)),
      [],
    );
  }
  for (const code of ['1', '7', '20', '91', '98', '211', '358', '383', '880', '971', '998']) {
    assert.ok(known.includes(code), code);
  }
  for (const free of ['210', '215', '384', '422', '671', '684', '854', '969', '999', '0']) {
    assert.equal(findCountryCode(`${free}5550100`), undefined, free);
  }
});

function assertRefused(sent: SentPhone, words: RegExp): void {
  assert.throws(
    () => readPhone('user.', sent),
    (error) => {
      assert.ok(error instanceof ServiceError, String(error));
      assert.equal(error.code, 'INVALID_REQUEST_PARAMETER');
      assert.match(error.merchantMessage, words);
      return true;
    },
    JSON.stringify(sent),
  );
}

test('a card number after a plus is refused if it is too long for a phone number', () => {
  assert.throws(() => readPhone('', { mobileNumber: '+56244390870935247' }), ServiceError);
  const { countryCode, mobileNumber } = readPhone('', { mobileNumber: '+4915112345678' });
  assert.deepEqual([countryCode, mobileNumber], ['+49', '15112345678']);
});
