/** HMAC-SHA-256 under a secret of an account, as hex. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** To make a key of a secret takes ten times as long as to sign with it. */
const keys = new Map<string, KeyObject>();
const keysMax = 1_000;

export function hmacHex(secret: string, content: string | Buffer): string {
  return createHmac('sha256', keyOf(secret)).update(content).digest('hex');
}

function keyOf(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) {
    key = createSecretKey(secret, 'utf8');
    if (keys.size >= keysMax) keys.clear();
    keys.set(secret, key);
  }
  return key;
}
