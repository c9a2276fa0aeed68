import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hmac, hmacHex, hmacKeyOf } from '../../src/security/hmac.ts';

test('the HMAC matches a test vector of RFC 4231', () => {
  assert.equal(
    hmacHex('Jefe', 'what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
});

test('the HMAC equals that of the platform for keys and contents of any length', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.integer({ min: 60, max: 70 }).map((length) => new Uint8Array(length).fill(7)),
  );
  fc.assert(
    fc.property(bytes, fc.oneof(bytes, fc.string({ unit: 'binary' })), (secret, content) => {
      const given = typeof content === 'string' ? content.toWellFormed() : Buffer.from(content);
      const expected = createHmac('sha256', secret).update(given);
      assert.equal(hmac(hmacKeyOf(Buffer.from(secret)), given, 'hex'), expected.digest('hex'));
    }),
    { numRuns: 1_000 },
  );
});

test('a key gives the same HMAC every time, also when it alternates with other keys', () => {
  const secrets = Array.from({ length: 1_100 }, (_entry, index) => `secret ${index}`);
  const sign = (secret: string) => hmacHex(secret, Buffer.from('the same body'));
  const first = secrets.map(sign);
  assert.equal(new Set(first).size, secrets.length);
  assert.deepEqual(secrets.map(sign), first);
});
