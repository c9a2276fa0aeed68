import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { openPayload, payloadKeyOf, sealPayload } from '../../src/security/sealed-payload.ts';

const secret = 'access_secret_b5f3c1d0';

/** A published vector: any implementation of the contract's steps must open this. */
const vector = {
  key: '5b6da773421335e543c783cfd7c2fa121d2f470e0ed26e8103fd20aa54920978',
  sealed:
    '000102030405060708090a0b0c0d0e0f55909abd34fb2f23414d8147d802858e4a4ef313a2222b3615fd134860603822345917365fced191f53ef599f9deaa7aafad5ced6f7d63b68a',
  text: '{"invoice_id":"INV-1","total_amount":118}',
};

test('the published vector is opened, here and by Web Crypto', async () => {
  assert.equal(payloadKeyOf(secret).toString('hex'), vector.key);
  assert.equal(openPayload(vector.sealed, secret)?.toString('utf8'), vector.text);
  assert.equal(await openElsewhere(vector.sealed), vector.text);
});

test('the key is the SHA-256 of what follows the prefix', async () => {
  for (const value of [secret, 'merchant_access_secret_xyz', 'access_secret_']) {
    const remainder = value.slice(value.indexOf('access_secret_') + 'access_secret_'.length);
    const digest = await webcrypto.subtle.digest('SHA-256', new TextEncoder().encode(remainder));
    assert.deepEqual(payloadKeyOf(value), Buffer.from(digest));
  }
});

test('what Web Crypto seals by the steps of the contract is opened here, and the other way', async () => {
  const texts = ['', '{}', '{"invoice_id":"é ü 漢字 🎉"}', 'x'.repeat(100_000)];
  for (const text of texts) {
    assert.equal(openPayload(await sealElsewhere(text), secret)?.toString('utf8'), text);
    assert.equal(await openElsewhere(sealPayload(text, secret)), text);
  }
});

test('hex is taken in either case', async () => {
  const sealed = await sealElsewhere('{"a":1}');
  assert.equal(openPayload(sealed.toUpperCase(), secret)?.toString('utf8'), '{"a":1}');
});

test('the same text is never sealed the same way twice', () => {
  const sealed = new Set(Array.from({ length: 1000 }, () => sealPayload('{}', secret)));
  assert.equal(sealed.size, 1000);
});

test('any changed, missing or added byte, and any other secret, opens nothing', () => {
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

test('text that is no hex, or too short, opens nothing', () => {
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
