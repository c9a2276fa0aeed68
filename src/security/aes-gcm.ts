/** AES-256-GCM, as secrets at rest, personal data and payloads use it: the nonce, the ciphertext and the tag. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
export const tagBytes = 16;

type Format = {
  readonly nonceBytes: number;
  /** Names what the text belongs to: bytes that are copied to something else cannot be opened there. */
  readonly belongsTo?: string;
};

/** The parts, for one `Buffer.concat` with what the caller puts before them. */
export function encrypt(key: Buffer, text: string, { nonceBytes, belongsTo = '' }: Format) {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(belongsTo));
  const sealed = [encryption.update(text, 'utf8'), encryption.final()];
  return [nonce, ...sealed, encryption.getAuthTag()];
}

/** Throws when the bytes were changed, or encrypted with another key or for something else. */
export function decrypt(key: Buffer, bytes: Buffer, { nonceBytes, belongsTo = '' }: Format) {
  const nonce = bytes.subarray(0, nonceBytes);
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(belongsTo))
    .setAuthTag(bytes.subarray(-tagBytes));
  const opened = decryption.update(bytes.subarray(nonceBytes, -tagBytes));
  return Buffer.concat([opened, decryption.final()]);
}
