/**
 * The master key: everything else that must stay secret hangs on it. It seals account secrets at
 * rest and derives the keys that sign tokens; it is never used for either directly.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const formatVersion = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes;

export type MasterKey = {
  /** Tells one master key from another without telling anything about it. */
  readonly id: string;
  /** Encrypts a secret for storage; `belongsTo` ties it to its row, so rows cannot be swapped. */
  readonly seal: (secret: string, belongsTo: string) => Buffer;
  readonly open: (sealed: Buffer, belongsTo: string) => string;
  /** True when this key sealed it; nothing is opened to tell. */
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

/** The id of the master key that sealed it. */
export function sealingKeyIdOf(sealed: Buffer): string {
  return sealed.subarray(1, 1 + keyIdBytes).toString('hex');
}

export class WrongMasterKeyError extends Error {
  constructor() {
    super('a stored secret was sealed with another MASTER_KEY');
    this.name = 'WrongMasterKeyError';
  }
}
