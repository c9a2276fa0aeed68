/**
 * Limits the request rates of accounts, order tokens, payment links and visitors of the dashboard. Each process counts
 * separately: the limits protect the process from floods and are not exact across processes.
 */

import type { Account } from '../domain/accounts/account.ts';
import { accountLimits } from '../domain/accounts/limits.ts';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { eventLimits } from '../domain/events/limits.ts';
import { limits } from '../domain/limits.ts';
import type { Clock } from '../domain/time.ts';
import { userLimits } from '../domain/users/limits.ts';
import { networkOf } from '../domain/users/network.ts';
import type { Caller } from '../security/tokens.ts';
import { type Bucket, takeToken } from './token-bucket.ts';

/** Throws `RATE_LIMITED` when the caller exceeds its rate. */
export type CountCall = (call: AuthenticatedCaller) => void;

export type AuthenticatedCaller = { readonly caller: Caller; readonly account: Account };

/** The same for the uses of a payment link. */
export type CountLink = (linkId: string) => void;

export function createCallLimit(clock: Clock): CountCall {
  const countAccount = createBuckets(clock, accountLimits.accountsCachedMax);
  const countOrder = createBuckets(clock, limits.ordersCountedMax);
  const countForAccount = ({ accountId, requestsPerSecond }: Account) => {
    if (requestsPerSecond !== null) countAccount(accountId, requestsPerSecond);
  };

  return ({ caller, account }) => {
    if (caller.type === 'merchant') countForAccount(account);
    // A consumer's page must not be able to use up the merchant's quota. Contract 2.9.
    else countOrder(caller.orderId, limits.orderTokenRequestsPerSecond);
  };
}

/** Links that do not exist are counted too: a limit that only existing ones have would tell them apart. */
export function createLinkLimit(clock: Clock): CountLink {
  const count = createBuckets(clock, limits.linksCountedMax);
  return (linkId) => count(linkId, limits.linkUsesPerSecond);
}

/** Throws `RATE_LIMITED` when an address calls the dashboard too often without a session. */
export type CountVisitor = (address: string) => void;

export function createVisitorLimit(clock: Clock): CountVisitor {
  const count = createBuckets(clock, userLimits.visitorsCountedMax);
  return (address) => count(networkOf(address), userLimits.visitorRequestsPerSecond);
}

/** Throws `RATE_LIMITED` when an account tests its endpoints too often. Refused tests are not counted. Contract 12.2. */
export type CountTest = (accountId: string) => void;

const minuteMs = 60_000;

export function createTestLimit(clock: Clock): CountTest {
  const timesOf = createBoundedCache<readonly number[]>(accountLimits.accountsCachedMax);
  return (accountId) => {
    const nowMs = clock().getTime();
    const recent = (timesOf.get(accountId) ?? []).filter(
      (atMs) => Math.abs(nowMs - atMs) < minuteMs,
    );
    const [first = nowMs] = recent;
    if (recent.length >= eventLimits.endpointTestsPerMinute) {
      const retryAfterSeconds = Math.ceil((first + minuteMs - nowMs) / 1_000);
      throw new ServiceError(
        'RATE_LIMITED',
        `Endpoints can be tested ${eventLimits.endpointTestsPerMinute} times a minute: try again in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    }
    timesOf.set(accountId, [...recent, nowMs]);
  };
}

function createBuckets(clock: Clock, keysMax: number) {
  const buckets = createBoundedCache<Bucket>(keysMax);
  return (key: string, perSecond: number): void => {
    const after = takeToken(buckets.get(key), perSecond, clock().getTime());
    if (!after) throw new ServiceError('RATE_LIMITED');
    buckets.set(key, after);
  };
}
