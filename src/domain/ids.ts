/** Identifiers. Each process generates them by itself, without a sequence or other coordination. */
import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Larger bytes are discarded: the remainder would favour the first letters. */
const unbiasedBelow = 256 - (256 % alphabet.length);
const idLength = 16;

export const newAccountId = (): string => `acc_${randomBase62(idLength)}`;
export const newOrderId = (now: Date): string => `o_${timeOrderedBase62(now)}`;
export const newUserId = (): string => `user_${randomBase62(idLength)}`;
/** A user of the dashboard; a consumer is a `user_`. */
export const newDashboardUserId = (): string => `usr_${randomBase62(idLength)}`;
export const newSessionId = (): string => `ses_${randomBase62(idLength)}`;
export const newInvitationId = (): string => `inv_${randomBase62(idLength)}`;
export const newKeyId = (): string => `key_${randomBase62(idLength)}`;
export const newAuditId = (now: Date): string => `aud_${timeOrderedBase62(now)}`;
export const newSecretId = (): string => `sec_${randomBase62(idLength)}`;

export const isAccountId = (text: string): boolean => /^acc_[0-9A-Za-z]{16}$/.test(text);
export const isTransactionId = (text: string): boolean => /^o_[0-9A-Za-z]{16}-\d{12}$/.test(text);
export const isOrderId = (text: string): boolean => /^o_[0-9A-Za-z]{16}$/.test(text);

/** These contain their account id, so that an operator can find a delivery or an endpoint by its id alone. */
export const newDeliveryId = (accountId: string, now: Date): string =>
  deliveryIdAt(accountId, timeOrderedBase62(now));
export const newEndpointId = (accountId: string): string =>
  `ep_${accountLetters(accountId)}${randomBase62(idLength)}`;
/**
 * The id in the URL of a payment link. It begins with its account, so that the link is found by a primary key. Whoever
 * has it can pay the order, so the 16 random letters after that have 95 bits.
 */
export const newLinkId = (accountId: string): string =>
  accountLetters(accountId) + randomBase62(idLength);
/** It contains its account id, so that a lookup needs no index across accounts. */
export const accessKeyOf = (accountId: string): string => `access_key_${accountLetters(accountId)}`;

export const findAccountIdOfDelivery = accountIdIn(/^dlv_([0-9A-Za-z]{16})[0-9A-Za-z]{16}$/);
export const findAccountIdOfEndpoint = accountIdIn(/^ep_([0-9A-Za-z]{16})[0-9A-Za-z]{16}$/);
export const findAccountIdOfLink = accountIdIn(/^([0-9A-Za-z]{16})[0-9A-Za-z]{16}$/);
export const findAccountIdOfAccessKey = accountIdIn(/^access_key_([0-9A-Za-z]{16})$/);

function accountIdIn(pattern: RegExp) {
  return (id: string) => {
    const [, letters] = pattern.exec(id) ?? [];
    return letters === undefined ? undefined : `acc_${letters}`;
  };
}

const accountLetters = (accountId: string): string => accountId.slice('acc_'.length);

export type EventKey = {
  readonly accountId: string;
  readonly orderId: string;
  readonly sequence: number;
};

/** The id of an event is its account, its order and its number, so that it needs no column and no index of its own. */
export function eventIdOf({ accountId, orderId, sequence }: EventKey): string {
  return `evt_${accountLetters(accountId)}${orderId.slice('o_'.length)}-${sequence}`;
}

export function findEventKey(eventId: string): EventKey | undefined {
  const match = /^evt_([0-9A-Za-z]{16})([0-9A-Za-z]{16})-([1-9]\d{0,8})$/.exec(eventId);
  if (!match) return undefined;
  const [, account, order, sequence] = match;
  return { accountId: `acc_${account}`, orderId: `o_${order}`, sequence: Number(sequence) };
}

export const newTestEventId = (accountId: string, now: Date): string =>
  `evt_${accountLetters(accountId)}${timeOrderedBase62(now)}-0`;

export const timeKeyOfDelivery = (deliveryId: string): string =>
  deliveryId.slice('dlv_'.length + idLength);

/** The id of an account's delivery with this time key, or with the beginning of one. */
export const deliveryIdAt = (accountId: string, timeKey: string): string =>
  `dlv_${accountLetters(accountId)}${timeKey}`;

export const firstOrderIdAt = (time: Date): string => `o_${secondsInBase62(time)}`;

/** The second in which an order was created, from its id. Undefined for text that is no order id. */
export function findTimeOfOrder(orderId: string): Date | undefined {
  const [, letters = ''] = /^o_([0-9A-Za-z]{6})/.exec(orderId) ?? [];
  if (letters === '') return undefined;
  let seconds = 0;
  for (const letter of letters) seconds = seconds * alphabet.length + alphabet.indexOf(letter);
  return new Date(seconds * 1_000);
}

/** The lowest part of a delivery id, behind its account, of this second. */
export const firstTimeKeyAt = (time: Date): string => secondsInBase62(time);

const secondsLength = 6;
const millisecondsLength = 2;
const randomLength = idLength - secondsLength - millisecondsLength;

/**
 * For tables with very many rows. The id starts with the time, so new rows go to the end of an index and its other pages
 * stay cold, and lists by id are lists by time. The eight random letters after it have 47 bits: see docs/decisions/0057.
 */
function timeOrderedBase62(now: Date): string {
  const milliseconds = inBase62(Math.max(0, now.getTime()) % 1_000, millisecondsLength);
  return secondsInBase62(now) + milliseconds + randomBase62(randomLength);
}

/** By itself, because ids of orders that were created before 0057 have only the seconds. */
function secondsInBase62(time: Date): string {
  return inBase62(Math.max(0, Math.floor(time.getTime() / 1_000)), secondsLength);
}

function inBase62(number: number, length: number): string {
  let rest = number;
  let text = '';
  while (text.length < length) {
    text = `${alphabet[rest % alphabet.length]}${text}`;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = nextRandomByte();
    if (byte < unbiasedBelow) text += alphabet[byte % alphabet.length];
  }
  return text;
}

/** One system call for many random bytes costs as much as one for a few. */
const pool = Buffer.alloc(4096);
let poolUsed = pool.length;

function nextRandomByte(): number {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const byte = pool[poolUsed] ?? 0;
  // A used byte is overwritten, because it may be part of a secret.
  pool[poolUsed] = 0;
  poolUsed += 1;
  return byte;
}

/** At most `length` base62 letters from bytes that are already random, such as a digest. */
export function base62Of(bytes: Uint8Array, length: number = bytes.length): string {
  let text = '';
  for (const byte of bytes) {
    if (text.length === length) break;
    if (byte < unbiasedBelow) text += alphabet[byte % alphabet.length];
  }
  return text;
}
