/**
 * The master key. One key derived from it encrypts the stored account secrets, others sign tokens; the master key itself
 * does neither.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const formatVersion = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes;

export type MasterKey = {
  /** Distinguishes master keys without revealing them. */
  readonly id: string;
  /** Encrypts a secret for storage. `belongsTo` names its row, so that a value copied to another row cannot be opened. */
  readonly seal: (secret: string, belongsTo: string) => Buffer;
  readonly open: (sealed: Buffer, belongsTo: string) => string;
  /** True when this key sealed the value; reads the key id in its header only. */
  readonly hasSealed: (sealed: Buffer) => boolean;
  readonly deriveSigningKey: (keyId: string) => Buffer;
};

export function createMasterKey(hex: string): MasterKey {
  const master = Buffer.from(hex, 'hex');
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', master, 'payment-order-service', purpose, bytes));
  const id = derive('key id', keyIdBytes);
  const sealingKey = derive('secrets at rest', 32);
  const hasSealed = (sealed: Buffer) =>
    sealed[0] === formatVersion && sealed.subarray(1, 1 + keyIdBytes).equals(id);

  return {
    id: id.toString('hex'),
    hasSealed,
    seal(secret, belongsTo) {
      const nonce = randomBytes(nonceBytes);
      const encrypt = createCipheriv(cipher, sealingKey, nonce).setAAD(Buffer.from(belongsTo));
      const sealed = Buffer.concat([encrypt.update(secret, 'utf8'), encrypt.final()]);
      return Buffer.concat([Buffer.of(formatVersion), id, nonce, sealed, encrypt.getAuthTag()]);
    },
    open(sealed, belongsTo) {
      if (!hasSealed(sealed)) throw new WrongMasterKeyError();
      const nonce = sealed.subarray(1 + keyIdBytes, headerBytes);
      const decrypt = createDecipheriv(cipher, sealingKey, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(belongsTo))
        .setAuthTag(sealed.subarray(-tagBytes));
      const opened = decrypt.update(sealed.subarray(headerBytes, -tagBytes));
      return Buffer.concat([opened, decrypt.final()]).toString('utf8');
    },
    deriveSigningKey: (keyId) => derive(`signing key ${keyId}`, 32),
  };
}

/** The id of the master key that sealed the value. */
export function sealingKeyIdOf(sealed: Buffer): string {
  return sealed.subarray(1, 1 + keyIdBytes).toString('hex');
}

export class WrongMasterKeyError extends Error {
  constructor() {
    super('a stored secret was sealed with another MASTER_KEY');
    this.name = 'WrongMasterKeyError';
  }
}
