/** Identifiers, made by the service itself: no sequence, no coordination between processes. */
import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from here on would favour the first letters; they are thrown away. */
const unbiasedBelow = 256 - (256 % alphabet.length);
const idLength = 16;

export const newAccountId = (): string => `acc_${randomBase62(idLength)}`;
export const newOrderId = (now: Date): string => `o_${timedBase62(now)}`;
export const newUserId = (): string => `user_${randomBase62(idLength)}`;
export const newKeyId = (): string => `key_${randomBase62(idLength)}`;
export const newAuditId = (now: Date): string => `aud_${timedBase62(now)}`;
export const newSecretId = (): string => `sec_${randomBase62(idLength)}`;

export const isAccountId = (text: string): boolean => /^acc_[0-9A-Za-z]{16}$/.test(text);
export const isTransactionId = (text: string): boolean => /^o_[0-9A-Za-z]{16}-\d{12}$/.test(text);
export const isOrderId = (text: string): boolean => /^o_[0-9A-Za-z]{16}$/.test(text);

/** A delivery's id names its account too, so that an operator can find it by the id alone. */
export function newDeliveryId(accountId: string, now: Date): string {
  return `dlv_${accountId.slice('acc_'.length)}${timedBase62(now)}`;
}

export function findAccountIdOfDelivery(deliveryId: string): string | undefined {
  const match = /^dlv_([0-9A-Za-z]{16})[0-9A-Za-z]{16}$/.exec(deliveryId);
  return match ? `acc_${match[1]}` : undefined;
}

/** An access key names its account, so that finding it needs no index across accounts. */
export function accessKeyOf(accountId: string): string {
  return `access_key_${accountId.slice('acc_'.length)}`;
}

export function findAccountIdOfAccessKey(accessKey: string): string | undefined {
  const match = /^access_key_([0-9A-Za-z]{16})$/.exec(accessKey);
  return match ? `acc_${match[1]}` : undefined;
}

const timeLength = 6;

/**
 * Of what there are very many: the second comes first, so that the new stand together at the end of every index
 * by them, whose other pages rest. The ten letters behind it are random, 59 bits: nobody guesses one.
 */
function timedBase62(now: Date): string {
  let rest = Math.floor(now.getTime() / 1_000);
  let time = '';
  while (time.length < timeLength) {
    time = `${alphabet[rest % alphabet.length]}${time}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return time + randomBase62(idLength - timeLength);
}

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = nextRandomByte();
    if (byte < unbiasedBelow) text += alphabet[byte % alphabet.length];
  }
  return text;
}

/** Asking the system for many bytes costs as much as asking for a few. */
const pool = Buffer.alloc(4096);
let poolUsed = pool.length;

function nextRandomByte(): number {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const byte = pool[poolUsed] ?? 0;
  // What was given away is not kept: it may be part of a secret.
  pool[poolUsed] = 0;
  poolUsed += 1;
  return byte;
}

/** As many base62 letters as asked for, of bytes that are already random, such as a digest's. */
export function base62Of(bytes: Uint8Array, length: number = bytes.length): string {
  let text = '';
  for (const byte of bytes) {
    if (text.length === length) break;
    if (byte < unbiasedBelow) text += alphabet[byte % alphabet.length];
  }
  return text;
}
