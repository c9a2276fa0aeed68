/**
 * HMAC-SHA-256 of two plain digests, as RFC 2104 defines it. Every order signs two tokens, and every webhook is verified
 * by one: the object that `createHmac` makes for each takes twice as long, most of it to free its native part.
 */
import { hash } from 'node:crypto';
import { createBoundedCache } from '../domain/bounded-cache.ts';

const blockBytes = 64;
const digestBytes = 32;

/** A secret, prepared once: each buffer begins with a block, and the outer one has room for the inner digest behind it. */
type HmacKey = { readonly innerBlock: Buffer; readonly outer: Buffer };

export function hmacKeyOf(secret: string | Buffer): HmacKey {
  const given = Buffer.from(secret);
  const bytes = given.length > blockBytes ? hash('sha256', given, 'buffer') : given;
  const padded = Buffer.alloc(blockBytes);
  bytes.copy(padded);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  outer.set(padded.map((byte) => byte ^ 0x5c));
  return { innerBlock: Buffer.from(padded.map((byte) => byte ^ 0x36)), outer };
}

export function hmac(
  { innerBlock, outer }: HmacKey,
  content: string | Buffer,
  encoding: 'hex' | 'base64' | 'base64url',
): string {
  const length = typeof content === 'string' ? Buffer.byteLength(content) : content.length;
  const inner = Buffer.allocUnsafe(blockBytes + length);
  innerBlock.copy(inner);
  if (typeof content === 'string') inner.write(content, blockBytes);
  else content.copy(inner, blockBytes);
  // Overwritten each time, and nothing else runs before it is read.
  outer.write(hash('sha256', inner, 'binary'), blockBytes, 'binary');
  return hash('sha256', outer, encoding);
}

/** With an account's secret, in the form in which providers and merchants write it. */
export function hmacHex(secret: string, content: string | Buffer): string {
  return hmac(keyOf(secret), content, 'hex');
}

const keysCachedMax = 1_000;
const keys = createBoundedCache<HmacKey>(keysCachedMax);

function keyOf(secret: string): HmacKey {
  const known = keys.get(secret);
  if (known) return known;
  const key = hmacKeyOf(secret);
  keys.set(secret, key);
  return key;
}
