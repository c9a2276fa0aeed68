import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createMasterKey, WrongMasterKeyError } from '../../src/security/master-key.ts';
import { anyText } from '../support/any-text.ts';

const runs = { numRuns: 1_000 };
const hex = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const masterKey = createMasterKey(hex);
const otherKey = createMasterKey(hex.replace('1f', '1e'));
const row = 'acc_0123456789abcdef/sec_0123456789abcdef';
const text = anyText({ maxLength: 200 });

test('a sealed secret can be opened, for any secret and any row', () => {
  fc.assert(
    fc.property(text, text, (secret, belongsTo) => {
      assert.equal(masterKey.open(masterKey.seal(secret, belongsTo), belongsTo), secret);
    }),
    runs,
  );
});

test('another process with the same master key can open a sealed secret', () => {
  const sealed = masterKey.seal('a secret', row);
  assert.equal(createMasterKey(hex).open(sealed, row), 'a secret');
  assert.equal(createMasterKey(hex.toUpperCase()).open(sealed, row), 'a secret');
});

test('sealing uses a new nonce every time', () => {
  const nonces = new Set<string>();
  const whole = new Set<string>();
  for (let round = 0; round < 1_000; round += 1) {
    const sealed = masterKey.seal('a secret', row);
    nonces.add(sealed.subarray(5, 17).toString('hex'));
    whole.add(sealed.subarray(17).toString('hex'));
  }
  assert.equal(nonces.size, 1_000);
  assert.equal(whole.size, 1_000);
});

test('a sealed secret is version, key id, nonce, as many bytes as the secret, and tag', () => {
  const sealed = masterKey.seal('a secret', row);
  assert.equal(sealed.length, 1 + 4 + 12 + 8 + 16);
  assert.equal(sealed[0], 1);
  assert.equal(sealed.subarray(1, 5).toString('hex'), masterKey.id);
  assert.equal(sealed.includes('a secret'), false);
});

test('a change of any byte is refused', () => {
  const secret = 'access_secret_0123456789abcdef';
  const length = masterKey.seal(secret, row).length;
  const place = fc.nat(length - 1);
  fc.assert(
    fc.property(place, fc.integer({ min: 1, max: 255 }), (index, change) => {
      const sealed = masterKey.seal(secret, row);
      sealed[index] = (sealed[index] as number) ^ change;
      assert.throws(() => masterKey.open(sealed, row));
    }),
    runs,
  );
  for (let index = 0; index < length; index += 1) {
    const sealed = masterKey.seal(secret, row);
    sealed[index] = (sealed[index] as number) ^ 1;
    assert.throws(() => masterKey.open(sealed, row), `byte ${index}`);
  }
});

test('a truncated or extended sealed secret is refused', () => {
  const sealed = masterKey.seal('a secret', row);
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => masterKey.open(sealed.subarray(0, length), row), `${length} bytes`);
  }
  assert.throws(() => masterKey.open(Buffer.concat([sealed, Buffer.of(0)]), row));
});

test('a secret opens only for the row it was sealed for', () => {
  const sealed = masterKey.seal('a secret', row);
  for (const belongsTo of ['', `${row} `, row.slice(1), row.toUpperCase()]) {
    assert.throws(() => masterKey.open(sealed, belongsTo), belongsTo);
  }
});

test('a wrong master key and a damaged secret are different errors', () => {
  assert.throws(() => otherKey.open(masterKey.seal('a secret', row), row), WrongMasterKeyError);
  const damaged = masterKey.seal('a secret', row);
  damaged[20] = (damaged[20] as number) ^ 1;
  assert.throws(
    () => masterKey.open(damaged, row),
    (error: unknown) => !(error instanceof WrongMasterKeyError),
  );
});

test('an unknown version of the format is refused', () => {
  const sealed = masterKey.seal('a secret', row);
  sealed[0] = 2;
  assert.throws(() => masterKey.open(sealed, row), WrongMasterKeyError);
});

test('the derived keys equal those of another implementation of HKDF-SHA256', async () => {
  assert.equal(masterKey.id, (await hkdf('key id', 4)).toString('hex'));
  for (const keyId of ['key_1', 'key_2', `key_${masterKey.id}`]) {
    assert.deepEqual(masterKey.deriveSigningKey(keyId), await hkdf(`signing key ${keyId}`, 32));
  }
});

test('the derived keys never change, so that stored secrets and live tokens stay valid', () => {
  assert.equal(masterKey.id, '5138c584');
  assert.equal(
    masterKey.deriveSigningKey('key_1').toString('hex'),
    '8d53b183ba2e4ca7433ee0795e70985297afd01bcb67725990d864635df5e4b7',
  );
});

test('a secret sealed by an earlier version can be opened', () => {
  const sealed = Buffer.from(
    '015138c584a0a1a2a3a4a5a6a7a8a9aaabef17a7cdad473d24932df26b' +
      '8a505cb505beef48fca786b99e44ee8f8aebdf90bfdb13a826e6f3da8c',
    'hex',
  );
  assert.equal(masterKey.open(sealed, row), 'access_secret_of_long_ago');
});

test('each signing key is unique: it differs from the sealing key and from those of another master key', () => {
  const keys = [
    masterKey.deriveSigningKey('key_1'),
    masterKey.deriveSigningKey('key_2'),
    otherKey.deriveSigningKey('key_1'),
    Buffer.from(hex, 'hex'),
  ].map((key) => key.toString('hex'));
  assert.equal(new Set(keys).size, keys.length);
  assert.notEqual(masterKey.id, otherKey.id);
});

async function hkdf(purpose: string, bytes: number): Promise<Buffer> {
  const material = Buffer.from(hex, 'hex');
  const key = await crypto.subtle.importKey('raw', material, 'HKDF', false, ['deriveBits']);
  const bits = await crypto.subtle.deriveBits(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: Buffer.from('payment-order-service'),
      info: Buffer.from(purpose),
    },
    key,
    bytes * 8,
  );
  return Buffer.from(bits);
}
