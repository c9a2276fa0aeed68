import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findEmail, findPhones, isConsumer } from '../../src/domain/erased-consumer.ts';
import { createScrub, createSearch } from '../../src/domain/scrub.ts';

const values = {
  words: ['asha@example.com'],
  phones: [{ full: '919876543210', number: '9876543210' }],
};
const scrub = createScrub(values);
const isMentioned = createSearch(values);

const mentions = [
  ...['asha@example.com', 'Asha@EXAMPLE.com', 'to:asha@example.com.', '<asha@example.com>'],
  ...['?mail=asha%40example.com&', 'mail%3Dasha%40example%2Ecom', '\\u0061sha\\u0040example.com'],
  ...['+919876543210', '919876543210', '9876543210', '09876543210', '00919876543210'],
  ...['+91 98765 43210', '(+91) 98765-43210', '98765.43210', '987-654-3210', 'tel:9876543210'],
  ...['%2B919876543210', 'x%209876543210', '\\n9876543210', '\\nasha@example.com'],
];
for (const text of mentions) {
  test(`"${text}" is a mention, and nothing of it is left`, () => {
    assert.equal(isMentioned(text), true);
    assert.doesNotMatch(scrub(text), /sha|98765|43210|3210/);
    assert.match(scrub(text), /\[erased\]/);
    assert.equal(isMentioned(scrub(text)), false);
  });
}

const others = [
  ...['natasha@example.com', 'x.asha@example.com', 'asha@example.com.au', 'asha@example.community'],
  ...['+449876543210', '19876543210', '98765432101', '987654321', 'o_9876543210987654', ''],
];
for (const text of others) {
  test(`"${text}" mentions somebody else or nobody, and stays`, () => {
    assert.equal(isMentioned(text), false);
    assert.equal(scrub(text), text);
  });
}

test('without values nothing is mentioned, and what is too short is none', () => {
  for (const none of [
    { words: [], phones: [] },
    { words: ['a@b'], phones: [{ full: '1234' }] },
  ]) {
    assert.equal(createSearch(none)('a@b 1234'), false);
    assert.equal(createScrub(none)('a@b 1234'), 'a@b 1234');
  }
});

test('any e-mail address is found wherever it stands, whatever its letters mean to an expression', () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.constantFrom('', ' ', ',', '"', '='), (email, beside) => {
      const own = createScrub({ words: [email], phones: [] });
      assert.equal(own(`${beside}${email.toUpperCase()}${beside}`), `${beside}[erased]${beside}`);
      assert.equal(own(`m=${encodeURIComponent(email)}&`), 'm=[erased]&');
    }),
  );
});

test('a text of 256 KiB that is nearly all digits costs no more than some milliseconds', () => {
  const text = '98765 4321 '.repeat(24_000);
  const since = performance.now();
  scrub(text);
  assert.ok(performance.now() - since < 2_000);
});

test('a phone number is read with its country code or as one of +91', () => {
  const home = { full: '919876543210', number: '9876543210' };
  for (const text of ['+91 98765 43210', '0091 98765-43210', '9876543210', '09876543210']) {
    assert.deepEqual(findPhones(text), [home], text);
  }
  assert.deepEqual(findPhones('+44 7700 900123'), [{ full: '447700900123' }]);
  const double = { full: '91919876543210', number: '919876543210' };
  assert.deepEqual(findPhones('919876543210'), [double, home]);
  for (const text of ['', '12', 'abc', '+', '98765x43210', '1234567890123456']) {
    assert.equal(findPhones(text), undefined, text);
  }
});

test('a consumer is known by e-mail address or phone number, of the same country', () => {
  const consumer = {
    email: findEmail(' Asha@Example.com '),
    phones: findPhones('9876543210') ?? [],
  };
  const user = { email: 'x@y.z', countryCode: '+91', mobileNumber: '9876543210' };
  assert.equal(isConsumer(consumer, user), true);
  assert.equal(isConsumer(consumer, { ...user, mobileNumber: '919876543210' }), true);
  assert.equal(isConsumer(consumer, { ...user, mobileNumber: '09876543210' }), true);
  assert.equal(isConsumer(consumer, { ...user, countryCode: '+1' }), false);
  assert.equal(isConsumer(consumer, { countryCode: '+1', email: 'ASHA@example.com' }), true);
  assert.equal(isConsumer(consumer, { countryCode: '+91' }), false);
  assert.equal(isConsumer(consumer, undefined), false);
});
