import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { User } from '../../src/domain/orders/order.ts';
import { consumerIdOf } from '../../src/security/consumer-id.ts';

const key = 'the consumer id key of one account';
const asha: User = { countryCode: '+91', mobileNumber: '9876543210', email: 'asha@example.com' };

test('the same consumer always has the same id, in the format of a user id', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{4,15}$/), fc.stringMatching(/^\+\d{1,4}$/), (...parts) => {
      const [mobileNumber, countryCode] = parts;
      const id = consumerIdOf({ countryCode, mobileNumber }, key);
      assert.match(id, /^user_[0-9A-Za-z]{16}$/);
      assert.equal(consumerIdOf({ countryCode, mobileNumber }, key), id);
    }),
    { numRuns: 1_000 },
  );
});

test('the mobile number identifies the consumer; name and e-mail address may change', () => {
  const renamed = { ...asha, email: 'rao@example.com', firstName: 'Asha', lastName: 'Rao' };
  assert.equal(consumerIdOf(renamed, key), consumerIdOf(asha, key));
  assert.equal(
    consumerIdOf({ countryCode: '+91', mobileNumber: '9876543210' }, key),
    consumerIdOf(asha, key),
  );
});

test('a mobile number is the same sent as a number or as text', () => {
  const asNumber = { ...asha, mobileNumber: String(9876543210) };
  const asText = { ...asha, mobileNumber: '09876543210' };
  assert.equal(consumerIdOf(asNumber, key), consumerIdOf(asha, key));
  assert.equal(consumerIdOf(asText, key), consumerIdOf(asha, key));
});

test('another number, another country or another account is another consumer', () => {
  const ids = [
    consumerIdOf(asha, key),
    consumerIdOf({ ...asha, mobileNumber: '9876543211' }, key),
    consumerIdOf({ ...asha, mobileNumber: '98765432100' }, key),
    consumerIdOf({ ...asha, countryCode: '+1' }, key),
    consumerIdOf({ ...asha, countryCode: '+9', mobileNumber: '19876543210' }, key),
    consumerIdOf(asha, 'the consumer id key of another account'),
    consumerIdOf({ countryCode: '+91', email: 'asha@example.com' }, key),
    consumerIdOf({ countryCode: '+91', email: 'rao@example.com' }, key),
    consumerIdOf({ countryCode: '+91', email: 'asha@example.com' }, 'another key'),
  ];
  assert.equal(new Set(ids).size, ids.length);
});

test('different numbers have different ids', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    consumerIdOf({ countryCode: '+91', mobileNumber: String(9_000_000_000 + index) }, key),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test('without a mobile number the e-mail address identifies the consumer, ignoring case', () => {
  const byMail = consumerIdOf({ countryCode: '+91', email: 'asha@example.com' }, key);
  assert.equal(consumerIdOf({ countryCode: '+1', email: 'Asha@EXAMPLE.com' }, key), byMail);
});

test('a consumer with neither has a new id every time', () => {
  const ids = new Set(
    Array.from({ length: 100 }, () => consumerIdOf({ countryCode: '+91', firstName: 'A' }, key)),
  );
  assert.equal(ids.size, 100);
  for (const id of ids) assert.match(id, /^user_[0-9A-Za-z]{16}$/);
});
