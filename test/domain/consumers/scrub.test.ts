import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addEarlierConsumer,
  findEmail,
  findPhones,
  isConsumer,
  valuesOf,
} from '../../../src/domain/consumers/erased-consumer.ts';
import { createScrub, createSearch } from '../../../src/domain/consumers/scrub.ts';
import { limits } from '../../../src/domain/limits.ts';
import type { EarlierConsumer } from '../../../src/domain/orders/order.ts';
import { readPhone, type SentPhone } from '../../../src/domain/orders/phone.ts';

const values = {
  words: ['asha@example.com'],
  phones: [{ full: '919876543210', number: '9876543210' }],
};
const scrub = createScrub(values);
const isMentioned = createSearch(values);

const mentions = [
  'asha@example.com',
  'Asha@EXAMPLE.com',
  'to:asha@example.com.',
  '<asha@example.com>',
  '?mail=asha%40example.com&',
  'mail%3Dasha%40example%2Ecom',
  '\\u0061sha\\u0040example.com',
  '+919876543210',
  '919876543210',
  '9876543210',
  '09876543210',
  '00919876543210',
  '+91 98765 43210',
  '(+91) 98765-43210',
  '98765.43210',
  '987-654-3210',
  'tel:9876543210',
  '+91 (0) 98765 43210',
  '+91 [98765] 43210',
  '98765\u201143210',
  '98\u200b765 43210',
  '%2B919876543210',
  'x%209876543210',
  '\\n9876543210',
  '\\nasha@example.com',
];
for (const text of mentions) {
  test(`"${text}" is a mention and is erased completely`, () => {
    assert.equal(isMentioned(text), true);
    assert.doesNotMatch(scrub(text), /sha|98765|43210|3210/);
    assert.match(scrub(text), /\[erased\]/);
    assert.equal(isMentioned(scrub(text)), false);
  });
}

const others = [
  'natasha@example.com',
  'x.asha@example.com',
  'asha@example.com.au',
  'asha@example.community',
  '+449876543210',
  '19876543210',
  '98765432101',
  '987654321',
  'o_9876543210987654',
  '',
];
for (const text of others) {
  test(`"${text}" mentions somebody else or nobody and stays`, () => {
    assert.equal(isMentioned(text), false);
    assert.equal(scrub(text), text);
  });
}

test('without values nothing matches, and short values are ignored', () => {
  for (const none of [
    { words: [], phones: [] },
    { words: ['a@b'], phones: [{ full: '1234' }] },
  ]) {
    assert.equal(createSearch(none)('a@b 1234'), false);
    assert.equal(createScrub(none)('a@b 1234'), 'a@b 1234');
  }
});

test('any e-mail address is found in any text, even with special characters of regular expressions', () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.constantFrom('', ' ', ',', '"', '='), (email, beside) => {
      const own = createScrub({ words: [email], phones: [] });
      assert.equal(own(`${beside}${email.toUpperCase()}${beside}`), `${beside}[erased]${beside}`);
      assert.equal(own(`m=${encodeURIComponent(email)}&`), 'm=[erased]&');
    }),
  );
});

test('a text of 256 KiB that is nearly all digits takes only some milliseconds', () => {
  const text = '98765 4321 '.repeat(24_000);
  const since = performance.now();
  scrub(text);
  assert.ok(performance.now() - since < 2_000);
});

test('a phone number is read as for an order; without a country code it is searched with +91', () => {
  const home = { full: '919876543210', number: '9876543210' };
  const bare = { ...home, hasAnyCode: true };
  for (const text of ['+91 98765 43210', '0091 98765-43210', '+91 (0) 98765 43210']) {
    assert.deepEqual(findPhones(text), [home], text);
  }
  for (const text of ['9876543210', '09876543210', '+0 98765 43210', '\uff19876543210\u200e']) {
    assert.deepEqual(findPhones(text), [bare], text);
  }
  const british = { full: '447700900123', number: '7700900123' };
  for (const text of ['+44 7700 900123', '+44 (0)7700 900123', '0044[0]7700.900123']) {
    assert.deepEqual(findPhones(text), [british], text);
  }
  assert.deepEqual(findPhones('+999 123456'), [{ full: '999123456' }]);
  assert.deepEqual(findPhones('+999 0123456'), [{ full: '9990123456' }, { full: '999123456' }]);
  const double = { full: '91919876543210', number: '919876543210', hasAnyCode: true };
  assert.deepEqual(findPhones('919876543210'), [double, home]);
  for (const text of ['', '12', 'abc', '+', '98765x43210', '1234567890123456', '+44 12']) {
    assert.equal(findPhones(text), undefined, text);
  }
});

test('a consumer matches by e-mail address or phone number, in the same country if one is given', () => {
  const email = findEmail(' Asha@Example.com ');
  const bare = { email, phones: findPhones('9876543210') ?? [] };
  const full = { email, phones: findPhones('+91 9876543210') ?? [] };
  const user = { email: 'x@y.z', countryCode: '+91', mobileNumber: '9876543210' };
  for (const consumer of [bare, full]) {
    assert.equal(isConsumer(consumer, user), true);
    assert.equal(isConsumer(consumer, { ...user, mobileNumber: '919876543210' }), true);
    assert.equal(isConsumer(consumer, { ...user, mobileNumber: '09876543210' }), true);
    assert.equal(isConsumer(consumer, { countryCode: '+1', email: 'ASHA@example.com' }), true);
    assert.equal(isConsumer(consumer, { countryCode: '+91' }), false);
    assert.equal(isConsumer(consumer, undefined), false);
  }
  assert.equal(isConsumer(bare, { ...user, countryCode: '+1' }), true);
  assert.equal(isConsumer(full, { ...user, countryCode: '+1' }), false);
});

test('a number of ten digits is not confused with a shorter one after its country code', () => {
  const singapore = { countryCode: '+65', mobileNumber: '91234567' };
  const indian = { countryCode: '+91', mobileNumber: '6591234567' };
  const named = (text: string) => ({ email: undefined, phones: findPhones(text) ?? [] });
  assert.deepEqual(
    [isConsumer(named('+6591234567'), singapore), isConsumer(named('+6591234567'), indian)],
    [true, false],
  );
  assert.deepEqual(
    [isConsumer(named('6591234567'), singapore), isConsumer(named('6591234567'), indian)],
    [false, true],
  );
});

test('every number that an order accepts is found by the text that was sent', () => {
  const separator = fc.constantFrom('', ' ', '-', ' (', ') ', '.', '\u2011', '\u200e', '[', ']');
  const prefix = fc.constantFrom('', '+', '00');
  const digit = fc.integer({ min: 0, max: 9 });
  const spelled = fc.tuple(prefix, fc.array(fc.tuple(digit, separator), { maxLength: 20 }));
  const code = fc.option(fc.constantFrom('91', '1', '44', '999'), { nil: undefined });
  let read = 0;
  fc.assert(
    fc.property(spelled, code, ([plus, parts], countryCode) => {
      const sent = plus + parts.flat().join('');
      const stored = findStored({ mobileNumber: sent, ...(countryCode && { countryCode }) });
      if (!stored || /^0*$/.test(stored.mobileNumber ?? '')) return;
      read += 1;
      const phones = findPhones(sent);
      assert.ok(phones && isConsumer({ email: undefined, phones }, stored), sent);
    }),
    { numRuns: 2_000 },
  );
  assert.ok(read > 200, `${read} were numbers`);
});

function findStored(sent: SentPhone) {
  try {
    return readPhone('', sent);
  } catch {
    return undefined;
  }
}

test('an e-mail address matches in upper and lower case, and is found in texts as it was given', () => {
  const pairs = [
    ['\u0130nci@mail.example', '\u0130nci@mail.example'],
    ['\u0130nci@mail.example', 'i\u0307nci@mail.example'],
    ['R\u00c9MI@mail.example', 're\u0301mi@mail.example'],
    ['\u212aim@mail.example', 'kim@mail.example'],
  ] as const;
  for (const [email, given] of pairs) {
    const consumer = { email: findEmail(given), phones: [] };
    assert.equal(isConsumer(consumer, { email, countryCode: '+91' }), true, given);
    assert.equal(createScrub(valuesOf(consumer))(`Ask ${email}.`), 'Ask [erased].', given);
  }
});

test('an order stores each earlier identifier of its consumer once, up to the limit', () => {
  const digest = (identifier: string) => identifier;
  const user = (email: string) => ({ email, countryCode: '+91', mobileNumber: '9876543210' });
  const change = (earlier: readonly EarlierConsumer[], from: string, to: string) =>
    addEarlierConsumer(earlier, { userId: 'user_1', user: user(from) }, user(to), digest);
  const none: EarlierConsumer[] = [];
  assert.equal(change(none, 'a@b.c', 'A@b.c'), none);
  const once = change(none, 'a@b.c', 'x@y.z');
  assert.deepEqual(once, [{ userId: 'user_1', digest: 'mailto:a@b.c' }]);
  assert.equal(change(once, 'a@b.c', 'x@y.z'), once);
  assert.deepEqual(
    addEarlierConsumer(none, { userId: null, user: user('a@b.c') }, undefined, digest).map(
      (entry) => entry.digest,
    ),
    ['mailto:a@b.c', 'tel:919876543210', 'national:9876543210'],
  );
  let earlier: readonly EarlierConsumer[] = none;
  for (let nth = 0; nth <= limits.earlierConsumersMax; nth += 1) {
    earlier = change(earlier, `${nth}@b.c`, 'x@y.z');
  }
  assert.equal(earlier.length, limits.earlierConsumersMax);
  assert.equal(earlier[0]?.digest, 'mailto:1@b.c');
});
