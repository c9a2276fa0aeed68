import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The value of `encrypted_payload`. */
export function seal(text, accessSecret) {
  const nonce = randomBytes(16);
  const cipher = createCipheriv('aes-256-gcm', keyOf(accessSecret), nonce);
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([sealed, cipher.getAuthTag()]).toString('hex');
}

/** The text in `encrypted_response`; throws if it was changed or made with another secret. */
export function open(hex, accessSecret) {
  const bytes = Buffer.from(hex, 'hex');
  const [nonce, tag] = [bytes.subarray(0, 16), bytes.subarray(-16)];
  const decipher = createDecipheriv('aes-256-gcm', keyOf(accessSecret), nonce, {
    authTagLength: 16,
  }).setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(16, -16)), decipher.final()]).toString();
}

function keyOf(accessSecret) {
  return createHash('sha256').update(accessSecret.replace('access_secret_', '')).digest();
}
