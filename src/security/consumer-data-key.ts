/**
 * The key of one account for personal data of its consumers, which the database stores encrypted. It is derived from an
 * account secret that is never rotated and is itself sealed with the master key, so rotating the master key does not
 * rewrite any order.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const formatVersion = 1;
const nonceBytes = 12;
const tagBytes = 16;

export type ConsumerDataKey = {
  /** Encrypts text for storage. `belongsTo` names its row, so that a value copied to another row cannot be opened. */
  readonly seal: (text: string, belongsTo: string) => string;
  /** Throws when the value was sealed for another row or with another key, or was changed. */
  readonly open: (sealed: string, belongsTo: string) => string;
  /** Equal for equal content. Keyed, so the content cannot be found by hashing guesses. */
  readonly digest: (content: string | Buffer) => Buffer;
};

export function createConsumerDataKey(accountId: string, accountSecret: string): ConsumerDataKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', accountSecret, accountId, purpose, 32));
  return {
    seal: (text, belongsTo) => {
      const nonce = randomBytes(nonceBytes);
      const encrypt = createCipheriv(cipher, derive('consumer data at rest'), nonce);
      encrypt.setAAD(Buffer.from(`${accountId}/${belongsTo}`));
      const sealed = Buffer.concat([encrypt.update(text, 'utf8'), encrypt.final()]);
      const parts = [Buffer.of(formatVersion), nonce, sealed, encrypt.getAuthTag()];
      return Buffer.concat(parts).toString('base64');
    },
    open: (sealed, belongsTo) => {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes[0] !== formatVersion) throw new Error('this was not sealed here');
      const nonce = bytes.subarray(1, 1 + nonceBytes);
      const decrypt = createDecipheriv(cipher, derive('consumer data at rest'), nonce, {
        authTagLength: tagBytes,
      });
      decrypt.setAAD(Buffer.from(`${accountId}/${belongsTo}`));
      decrypt.setAuthTag(bytes.subarray(-tagBytes));
      const opened = decrypt.update(bytes.subarray(1 + nonceBytes, -tagBytes));
      return Buffer.concat([opened, decrypt.final()]).toString('utf8');
    },
    digest: (content) =>
      createHmac('sha256', derive('consumer data digests')).update(content).digest(),
  };
}
