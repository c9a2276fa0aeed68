/**
 * Derives the `user_id` of a consumer: the same id for the same consumer of an account, without a lookup table. The key
 * belongs to the account, so ids of two accounts cannot be compared, and a phone number cannot be found by hashing all
 * numbers.
 */
import { hash } from 'node:crypto';
import { base62Of, newUserId } from '../domain/ids.ts';
import type { User } from '../domain/orders/order.ts';

export function consumerIdOf(user: User, consumerIdKey: string): string {
  const identity = identityOf(user);
  if (identity === undefined) return newUserId();
  // The id contains only part of the digest, so a length extension attack is not possible and the slower HMAC is not
  // needed.
  const digest = hash('sha256', `${consumerIdKey}/${identity}`, 'buffer');
  return `user_${base62Of(digest, 16)}`;
}

/** The mobile number changes less often than the e-mail address, so it comes first. */
function identityOf(user: User): string | undefined {
  if (user.mobileNumber) return `tel:${user.countryCode}:${Number(user.mobileNumber)}`;
  if (user.email) return `mailto:${user.email.toLowerCase()}`;
  return undefined;
}
