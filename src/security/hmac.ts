/**
 * HMAC-SHA-256 as RFC 2104 builds it, of two plain digests. Every order signs two tokens and every webhook is proved
 * by one: through the platform's own objects each takes three times as long, most of it to make and free them.
 */
import { hash } from 'node:crypto';

const blockBytes = 64;
const digestBytes = 32;

export type HmacKey = {
  /** Each fills a block; the second has room for the first digest behind it. */
  readonly inner: Buffer;
  readonly outer: Buffer;
};

export function hmacKeyOf(secret: string | Buffer): HmacKey {
  const given = Buffer.from(secret);
  const bytes = given.length > blockBytes ? hash('sha256', given, 'buffer') : given;
  const inner = Buffer.alloc(blockBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  bytes.copy(inner);
  bytes.copy(outer);
  for (let place = 0; place < blockBytes; place += 1) {
    inner[place] = (inner[place] ?? 0) ^ 0x36;
    outer[place] = (outer[place] ?? 0) ^ 0x5c;
  }
  return { inner, outer };
}

export function hmac(
  { inner, outer }: HmacKey,
  content: string | Buffer,
  encoding: 'hex' | 'base64url',
): string {
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  const message = Buffer.allocUnsafe(blockBytes + length);
  inner.copy(message);
  if (typeof content === 'string') message.write(content, blockBytes);
  else content.copy(message, blockBytes);
  // Written over each time: nothing else runs before it is read.
  outer.write(hash('sha256', message, 'binary'), blockBytes, 'binary');
  return hash('sha256', outer, encoding);
}

/** Of an account's secret, as providers and merchants write it. */
export function hmacHex(secret: string, content: string | Buffer): string {
  return hmac(keyOf(secret), content, 'hex');
}

const keys = new Map<string, HmacKey>();
const keysMax = 1_000;

function keyOf(secret: string): HmacKey {
  const known = keys.get(secret);
  if (known) return known;
  const key = hmacKeyOf(secret);
  if (keys.size >= keysMax) keys.clear();
  keys.set(secret, key);
  return key;
}
