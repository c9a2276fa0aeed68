/**
 * Encrypted payloads between a merchant's server and this service. Contract 7.
 * AES-256-GCM, hex of: 16-byte nonce, ciphertext, 16-byte tag; the key comes from the access secret.
 */
import { hash } from 'node:crypto';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import { decrypt, encrypt, tagBytes } from './aes-gcm.ts';

const nonceBytes = 16;
const secretPrefix = 'access_secret_';
/** Two live secrets for each account of the account cache. */
const keysCachedMax = 20_000;

const keys = createBoundedCache<Buffer>(keysCachedMax);

/** Derived once per secret, never per request. */
export function payloadKeyOf(accessSecret: string): Buffer {
  const known = keys.get(accessSecret);
  if (known) return known;
  const remainder = accessSecret.slice(accessSecret.indexOf(secretPrefix) + secretPrefix.length);
  const key = hash('sha256', remainder, 'buffer');
  keys.set(accessSecret, key);
  return key;
}

export function sealPayload(text: string, accessSecret: string): string {
  return Buffer.concat(encrypt(payloadKeyOf(accessSecret), text, { nonceBytes })).toString('hex');
}

/** The decrypted bytes, or undefined. The reason is not returned, so that no caller can leak it. */
export function openPayload(hex: string, accessSecret: string): Buffer | undefined {
  // Buffer.from would silently drop an odd or invalid hex digit.
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(hex)) return undefined;
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length < nonceBytes + tagBytes) return undefined;
  try {
    return decrypt(payloadKeyOf(accessSecret), bytes, { nonceBytes });
  } catch {
    return undefined;
  }
}
