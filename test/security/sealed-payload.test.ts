import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { openPayload, payloadKeyOf, sealPayload } from '../../src/security/sealed-payload.ts';

const secret = 'access_secret_b5f3c1d0';

/** A published test vector: every implementation of the contract must open it. */
const vector = {
  key: '5b6da773421335e543c783cfd7c2fa121d2f470e0ed26e8103fd20aa54920978',
  sealed:
    '000102030405060708090a0b0c0d0e0f55909abd34fb2f23414d8147d802858e4a4ef313a2222b3615fd134860603822345917365fced191f53ef599f9deaa7aafad5ced6f7d63b68a',
  text: '{"invoice_id":"INV-1","total_amount":118}',
};

test('the published test vector is opened by us and by Web Crypto', async () => {
  assert.equal(payloadKeyOf(secret).toString('hex'), vector.key);
  assert.equal(openPayload(vector.sealed, secret)?.toString('utf8'), vector.text);
  assert.equal(await openElsewhere(vector.sealed), vector.text);
});

test('the key is the SHA-256 of the secret without its prefix', async () => {
  for (const value of [secret, 'merchant_access_secret_xyz', 'access_secret_']) {
    const remainder = value.slice(value.indexOf('access_secret_') + 'access_secret_'.length);
    const digest = await webcrypto.subtle.digest('SHA-256', new TextEncoder().encode(remainder));
    assert.deepEqual(payloadKeyOf(value), Buffer.from(digest));
  }
});

test('we open what Web Crypto seals as the contract says, and Web Crypto opens what we seal', async () => {
  const texts = ['', '{}', '{"invoice_id":"é ü 漢字 🎉"}', 'x'.repeat(100_000)];
  for (const text of texts) {
    assert.equal(openPayload(await sealElsewhere(text), secret)?.toString('utf8'), text);
    assert.equal(await openElsewhere(sealPayload(text, secret)), text);
  }
});

test('hex is accepted in upper and lower case', async () => {
  const sealed = await sealElsewhere('{"a":1}');
  assert.equal(openPayload(sealed.toUpperCase(), secret)?.toString('utf8'), '{"a":1}');
});

test('sealing the same text twice gives different results', () => {
  const sealed = new Set(Array.from({ length: 1000 }, () => sealPayload('{}', secret)));
  assert.equal(sealed.size, 1000);
});

test('a payload with a changed, missing or added byte, or another secret, is not opened', () => {
  const sealed = sealPayload('{"invoice_id":"INV-1"}', secret);
  const bytes = Buffer.from(sealed, 'hex');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ change;
      assert.equal(openPayload(changed.toString('hex'), secret), undefined);
      const without = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
      assert.equal(openPayload(without.toString('hex'), secret), undefined);
      const added = Buffer.concat([bytes.subarray(0, at), Buffer.of(change), bytes.subarray(at)]);
      assert.equal(openPayload(added.toString('hex'), secret), undefined);
    }),
    { numRuns: 1000 },
  );
  assert.equal(openPayload(sealed, `${secret}x`), undefined);
});

test('text that is not hex, or too short, is not opened', () => {
  for (const text of [
    '',
    '0',
    'zz',
    '00'.repeat(31),
    `${sealPayload('{}', secret)}0`,
    ' 00',
    '0x00',
  ]) {
    assert.equal(openPayload(text, secret), undefined, text);
  }
});

function importKey(): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('raw', payloadKeyOf(secret), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ]);
}

async function sealElsewhere(text: string): Promise<string> {
  const iv = webcrypto.getRandomValues(new Uint8Array(16));
  const bytes = new TextEncoder().encode(text);
  const sealed = await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv }, await importKey(), bytes);
  return Buffer.concat([iv, Buffer.from(sealed)]).toString('hex');
}

async function openElsewhere(hex: string): Promise<string> {
  const bytes = Buffer.from(hex, 'hex');
  const iv = bytes.subarray(0, 16);
  const opened = await webcrypto.subtle.decrypt(
    { name: 'AES-GCM', iv },
    await importKey(),
    bytes.subarray(16),
  );
  return new TextDecoder().decode(opened);
}
