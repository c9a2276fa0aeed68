/**
 * Counts the calls of accounts that have a limit. Each process counts for itself: what is asked is that one
 * account's flood leaves the others their share of this process, not a figure that is exact across all.
 */
import { LRUCache } from 'lru-cache';
import type { Account } from '../domain/account.ts';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { type Bucket, takeToken } from '../domain/rate-limit.ts';
import type { Clock } from '../domain/time.ts';

/** Refuses the call when the account has made its share. */
export type CountCall = (account: Pick<Account, 'accountId' | 'requestsPerSecond'>) => void;

export function createRateLimits(clock: Clock): CountCall {
  const buckets = new LRUCache<string, Bucket>({ max: limits.accountsCachedMax });
  return ({ accountId, requestsPerSecond }) => {
    if (requestsPerSecond === null) return;
    const after = takeToken(buckets.get(accountId), requestsPerSecond, clock().getTime());
    if (!after) throw new ServiceError('RATE_LIMITED');
    buckets.set(accountId, after);
  };
}
