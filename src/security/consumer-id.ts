/**
 * The `user_id` of a consumer: the same for the same consumer of an account, without a table to
 * look it up in. The key is the account's own, so ids of two accounts cannot be compared, and
 * nobody can find a phone number by trying them all.
 */
import { hash } from 'node:crypto';
import { base62Of, newUserId } from '../domain/ids.ts';
import type { User } from '../domain/orders/order.ts';

export function consumerIdOf(user: User, consumerIdKey: string): string {
  const identity = identityOf(user);
  if (identity === undefined) return newUserId();
  // The id shows too little of the digest to be extended by a stranger, so this needs no HMAC, which takes
  // four times as long and is made for every order.
  const digest = hash('sha256', `${consumerIdKey}/${identity}`, 'buffer');
  return `user_${base62Of(digest, 16)}`;
}

/** A mobile number is what a consumer keeps; without one it is the e-mail address. */
function identityOf(user: User): string | undefined {
  if (user.mobileNumber) return `tel:${user.countryCode}:${Number(user.mobileNumber)}`;
  if (user.email) return `mailto:${user.email.toLowerCase()}`;
  return undefined;
}
