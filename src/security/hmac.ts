/** HMAC-SHA-256 with keys that are prepared once: every order signs two tokens, and every webhook is verified by one. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createBoundedCache } from '../domain/bounded-cache.ts';

export const hmacKeyOf = (secret: string | Buffer) => createSecretKey(Buffer.from(secret));

export function hmac(
  key: KeyObject,
  content: string | Buffer,
  encoding: 'hex' | 'base64' | 'base64url',
): string {
  return createHmac('sha256', key).update(content).digest(encoding);
}

/** With an account's secret, in the form in which providers and merchants write it. */
export function hmacHex(secret: string, content: string | Buffer): string {
  return hmac(keyOf(secret), content, 'hex');
}

const keysCachedMax = 1_000;
const keys = createBoundedCache<KeyObject>(keysCachedMax);

function keyOf(secret: string): KeyObject {
  const known = keys.get(secret);
  if (known) return known;
  const key = hmacKeyOf(secret);
  keys.set(secret, key);
  return key;
}
