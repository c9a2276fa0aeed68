import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createConsumerDataKey } from '../../src/security/consumer-data-key.ts';

const account = 'acc_0123456789abcdef';
const key = createConsumerDataKey(account, 'the secret of the account');

test('a sealed text can be opened for its own row', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, row) => {
      const expected = Buffer.from(text).toString('utf8');
      assert.equal(key.open(key.seal(text, row), row), expected);
    }),
  );
});

test('a sealed text does not contain the text, and sealing it twice gives different results', () => {
  const sealed = key.seal('00112233445566', 'o_1');
  assert.equal(Buffer.from(sealed, 'base64').includes('0011223344'), false);
  assert.notEqual(key.seal('00112233445566', 'o_1'), sealed);
});

test('a sealed text cannot be opened for another row, for another account or with another secret', () => {
  const sealed = key.seal('00112233445566', 'o_1');
  assert.throws(() => key.open(sealed, 'o_2'));
  assert.throws(() =>
    createConsumerDataKey('acc_other', 'the secret of the account').open(sealed, 'o_1'),
  );
  assert.throws(() => createConsumerDataKey(account, 'another').open(sealed, 'o_1'));
});

test('a sealed text with one changed bit cannot be opened', () => {
  const bytes = Buffer.from(key.seal('00112233445566', 'o_1'), 'base64');
  for (const [index, byte] of bytes.entries()) {
    const changed = Buffer.from(bytes);
    changed[index] = byte ^ 1;
    assert.throws(() => key.open(changed.toString('base64'), 'o_1'), `byte ${index}`);
  }
});

test('digests are equal for equal content under one key only', () => {
  const other = createConsumerDataKey('acc_other', 'the secret of the account');
  assert.deepEqual(key.digest('asha@example.com'), key.digest('asha@example.com'));
  assert.notDeepEqual(key.digest('asha@example.com'), key.digest('asha@example.org'));
  assert.notDeepEqual(key.digest('asha@example.com'), other.digest('asha@example.com'));
});
