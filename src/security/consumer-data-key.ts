/**
 * The key of one account for personal data of its consumers, which the database stores encrypted. It is derived from an
 * account secret that is never rotated and is itself sealed with the master key, so rotating the master key does not
 * rewrite any order.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

const formatVersion = 1;
const nonceBytes = 12;

export type ConsumerDataKey = ReturnType<typeof createConsumerDataKey>;

export function createConsumerDataKey(accountId: string, accountSecret: string) {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', accountSecret, accountId, purpose, 32));
  const formatOf = (belongsTo: string) => ({ nonceBytes, belongsTo: `${accountId}/${belongsTo}` });
  return {
    /** Encrypts text for storage. `belongsTo` names its row, so that a value copied to another row cannot be opened. */
    seal: (text: string, belongsTo: string) => {
      const encrypted = encrypt(derive('consumer data at rest'), text, formatOf(belongsTo));
      return Buffer.concat([Buffer.of(formatVersion), ...encrypted]).toString('base64');
    },
    /** Throws when the value was sealed for another row or with another key, or was changed. */
    open: (sealed: string, belongsTo: string) => {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes[0] !== formatVersion) throw new Error('this was not sealed here');
      const key = derive('consumer data at rest');
      return decrypt(key, bytes.subarray(1), formatOf(belongsTo)).toString('utf8');
    },
    /** Equal for equal content. Keyed, so the content cannot be found by hashing guesses. */
    digest: (content: string | Buffer) =>
      createHmac('sha256', derive('consumer data digests')).update(content).digest(),
  };
}
