/**
 * The master key. One key derived from it encrypts the stored account secrets, others sign tokens; the master key itself
 * does neither.
 */
import { hkdfSync } from 'node:crypto';
import { decrypt, encrypt } from './aes-gcm.ts';

const formatVersion = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const headerBytes = 1 + keyIdBytes;

export function createMasterKey(hex: string) {
  const master = Buffer.from(hex, 'hex');
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', master, 'payment-order-service', purpose, bytes));
  const id = derive('key id', keyIdBytes);
  const sealingKey = derive('secrets at rest', 32);
  const hasSealed = (sealed: Buffer) =>
    sealed[0] === formatVersion && sealed.subarray(1, headerBytes).equals(id);

  return {
    /** Distinguishes master keys without revealing them. */
    id: id.toString('hex'),
    /** True when this key sealed the value; reads the key id in its header only. */
    hasSealed,
    /** Encrypts a secret for storage. `belongsTo` names its row, so that a value copied to another row cannot be opened. */
    seal: (secret: string, belongsTo: string) =>
      Buffer.concat([
        Buffer.of(formatVersion),
        id,
        ...encrypt(sealingKey, secret, { nonceBytes, belongsTo }),
      ]),
    open(sealed: Buffer, belongsTo: string) {
      if (!hasSealed(sealed)) throw new WrongMasterKeyError();
      const encrypted = sealed.subarray(headerBytes);
      return decrypt(sealingKey, encrypted, { nonceBytes, belongsTo }).toString('utf8');
    },
    deriveSigningKey: (keyId: string) => derive(`signing key ${keyId}`, 32),
  };
}

/** All master keys of this process: the current one and, during a rotation, others that secrets may still be sealed with. */
export type MasterKeys = ReturnType<typeof createMasterKeys>;

/** The first key is the current one. `readAgain` is for keys that can change while the process runs. */
export function createMasterKeys(
  hexes: readonly string[],
  readAgain: () => Promise<readonly string[]> = async () => hexes,
) {
  let keys = hexes.map(createMasterKey);
  const find = (id: string) => keys.find((key) => key.id === id);
  return {
    current: () => {
      const [current] = keys;
      if (!current) throw new Error('there is no master key');
      return current;
    },
    find,
    /** Reads the keys again when one of these ids is unknown. */
    learn: async (ids: readonly string[]) => {
      if (ids.every((id) => find(id) !== undefined)) return;
      keys = (await readAgain()).map(createMasterKey);
    },
  };
}

export const sealingKeyIdOf = (sealed: Buffer) => sealed.subarray(1, headerBytes).toString('hex');

export class WrongMasterKeyError extends Error {
  constructor() {
    super('a stored secret was sealed with another MASTER_KEY');
    this.name = 'WrongMasterKeyError';
  }
}
