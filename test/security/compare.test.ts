import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { equalDigests, equalSecrets, matchesAny } from '../../src/security/compare.ts';
import { anyText } from '../support/any-text.ts';

const runs = { numRuns: 1_000 };
const secret = anyText({ maxLength: 64 });

test('two secrets are equal exactly when all their characters are equal', () => {
  fc.assert(
    fc.property(secret, secret, (left, right) => {
      assert.equal(equalSecrets(left, right), left === right);
      assert.equal(equalSecrets(left, left.slice()), true);
    }),
    runs,
  );
});

test('a secret differs from one that is longer, shorter, changed or in another case', () => {
  const known = 'access_secret_0123456789abcdef';
  const others = ['', known.slice(0, -1), `${known}0`, ` ${known}`, known.toUpperCase()];
  for (const given of [...others, known.replace('f', 'e'), `${known}\0`]) {
    assert.equal(equalSecrets(known, given), false, given);
  }
});

test('texts that look the same but have different code points differ', () => {
  assert.equal(equalSecrets('é', 'e\u0301'), false);
});

test('two digests are equal exactly when all their characters are equal, for inputs of any length', () => {
  fc.assert(
    fc.property(secret, secret, (left, right) => {
      assert.equal(equalDigests(left, right), left === right);
      assert.equal(equalDigests(left, left.slice()), true);
    }),
    runs,
  );
  const known = '309ba5c7ab86a6f2a66ceae80bc6ada963abd9241dbc18af5e297ed6d8bf5a92';
  for (const given of ['', known.slice(2), `${known}zz`, known.toUpperCase(), `${known}é`]) {
    assert.equal(equalDigests(known, given), false, given);
  }
});

test('a secret matches if it is any one of the known secrets', () => {
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 5 }), secret, (known, given) => {
      assert.equal(matchesAny(known, given), known.includes(given));
      for (const one of known) assert.equal(matchesAny(known, one), true);
    }),
    runs,
  );
});

test('nothing matches if no secret is known', () => {
  assert.equal(matchesAny([], ''), false);
  assert.equal(matchesAny([], 'anything'), false);
});
