/**
 * Limits the request rates of accounts, order tokens, payment links and visitors of the dashboard, and how many repeats
 * wait. Each process counts separately: the limits protect the process from floods and are not exact across processes.
 */
import type { Account } from '../domain/accounts/account.ts';
import { accountLimits } from '../domain/accounts/limits.ts';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import { ServiceError } from '../domain/errors.ts';
import { eventLimits } from '../domain/events/limits.ts';
import { limits } from '../domain/limits.ts';
import { paymentLimits } from '../domain/payments/limits.ts';
import type { Clock } from '../domain/time.ts';
import { userLimits } from '../domain/users/limits.ts';
import { networkOf } from '../domain/users/network.ts';
import type { Caller } from '../security/tokens.ts';
import { type Bucket, takeToken } from './token-bucket.ts';

export type AuthenticatedCaller = { readonly caller: Caller; readonly account: Account };

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Each throws `RATE_LIMITED` when the rate is exceeded. */
export function createRateLimits(clock: Clock) {
  const countAccount = createBuckets(clock, accountLimits.accountsCachedMax);
  const countOrder = createBuckets(clock, limits.ordersCountedMax);
  const countLink = createBuckets(clock, limits.linksCountedMax);
  const countVisitor = createBuckets(clock, userLimits.visitorsCountedMax);
  return {
    countCall: ({ caller, account: { accountId, requestsPerSecond } }: AuthenticatedCaller) => {
      // A consumer's page must not be able to use up the merchant's quota. Contract 2.9.
      if (caller.type !== 'merchant') {
        countOrder(caller.orderId, limits.orderTokenRequestsPerSecond);
      } else if (requestsPerSecond !== null) countAccount(accountId, requestsPerSecond);
    },
    /** Links that do not exist are counted too: a limit that only existing ones have would tell them apart. */
    countLink: (linkId: string) => countLink(linkId, limits.linkUsesPerSecond),
    /** Calls of the dashboard without a session. */
    countVisitor: (address: string) =>
      countVisitor(networkOf(address), userLimits.visitorRequestsPerSecond),
    countTest: createTestLimit(clock),
    waitingRepeats: createWaitingRepeats(),
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

const minuteMs = 60_000;

/** How often an account tests its endpoints. Refused tests are not counted. Contract 12.2. */
function createTestLimit(clock: Clock) {
  const timesOf = createBoundedCache<readonly number[]>(accountLimits.accountsCachedMax);
  return (accountId: string): void => {
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

/** How many repeated requests wait for the reply to the first one. */
function createWaitingRepeats() {
  const waiting = new Map<string, number>();
  let total = 0;
  return {
    /** False when too many are waiting, of this account or in total. */
    enter: (accountId: string): boolean => {
      const { waitingRepeatsMax, waitingRepeatsOfAccountMax } = paymentLimits;
      const own = waiting.get(accountId) ?? 0;
      if (total >= waitingRepeatsMax || own >= waitingRepeatsOfAccountMax) return false;
      waiting.set(accountId, own + 1);
      total += 1;
      return true;
    },
    leave: (accountId: string) => {
      const own = waiting.get(accountId) ?? 0;
      if (own > 1) waiting.set(accountId, own - 1);
      else waiting.delete(accountId);
      total -= 1;
    },
  };
}
