/**
 * Limits the request rates of accounts and of order tokens. Each process counts separately: the limits protect the
 * process from floods and are not exact across processes.
 */

import type { Account } from '../domain/accounts/account.ts';
import { type BoundedCache, createBoundedCache } from '../domain/bounded-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import type { Caller } from '../security/tokens.ts';
import { type Bucket, takeToken } from './token-bucket.ts';

/** Throws `RATE_LIMITED` when the caller exceeds its rate. */
export type CountCall = (call: AuthenticatedCaller) => void;

export type AuthenticatedCaller = { readonly caller: Caller; readonly account: Account };

export function createRateLimits(clock: Clock): CountCall {
  const accounts = createBoundedCache<Bucket>(limits.accountsCachedMax);
  const orders = createBoundedCache<Bucket>(limits.ordersCountedMax);

  const count = (buckets: BoundedCache<Bucket>, key: string, perSecond: number) => {
    const after = takeToken(buckets.get(key), perSecond, clock().getTime());
    if (!after) throw new ServiceError('RATE_LIMITED');
    buckets.set(key, after);
  };
  const countForAccount = ({ accountId, requestsPerSecond }: Account) => {
    if (requestsPerSecond !== null) count(accounts, accountId, requestsPerSecond);
  };

  return ({ caller, account }) => {
    if (caller.type === 'merchant') countForAccount(account);
    // A consumer's page must not be able to use up the merchant's quota. Contract 2.9.
    else count(orders, caller.orderId, limits.orderTokenRequestsPerSecond);
  };
}
