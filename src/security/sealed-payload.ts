/**
 * Encrypted payloads between a merchant's server and this service. Contract 7.
 * AES-256-GCM, hex of: 16-byte nonce, ciphertext, 16-byte tag; the key comes from the access secret.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { createBoundedCache } from '../domain/bounded-cache.ts';

const cipher = 'aes-256-gcm';
const nonceBytes = 16;
const tagBytes = 16;
const secretPrefix = 'access_secret_';
/** Two live secrets for each account of the account cache. */
const keysCachedMax = 20_000;

const keys = createBoundedCache<Buffer>(keysCachedMax);

/** Derived once per secret, never per request. */
export function payloadKeyOf(accessSecret: string): Buffer {
  const known = keys.get(accessSecret);
  if (known) return known;
  const remainder = accessSecret.slice(accessSecret.indexOf(secretPrefix) + secretPrefix.length);
  const key = createHash('sha256').update(remainder, 'utf8').digest();
  keys.set(accessSecret, key);
  return key;
}

export function sealPayload(text: string, accessSecret: string): string {
  const nonce = randomBytes(nonceBytes);
  const encrypt = createCipheriv(cipher, payloadKeyOf(accessSecret), nonce);
  const sealed = Buffer.concat([encrypt.update(text, 'utf8'), encrypt.final()]);
  return Buffer.concat([nonce, sealed, encrypt.getAuthTag()]).toString('hex');
}

/** The decrypted bytes, or undefined. The reason is not returned, so that no caller can leak it. */
export function openPayload(hex: string, accessSecret: string): Buffer | undefined {
  // Buffer.from would silently drop an odd or invalid hex digit.
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) return undefined;
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  const nonce = bytes.subarray(0, nonceBytes);
  const decrypt = createDecipheriv(cipher, payloadKeyOf(accessSecret), nonce, {
    authTagLength: tagBytes,
  }).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const opened = decrypt.update(bytes.subarray(nonceBytes, -tagBytes));
    return Buffer.concat([opened, decrypt.final()]);
  } catch {
    return undefined;
  }
}
