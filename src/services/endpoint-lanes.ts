/**
 * How many events this process may send to an endpoint now. Each endpoint has slots of its own, fewer if it fails, and
 * all share a total, so that one that fails or hangs delays nobody else. Contract 12.5.
 */
import { accountLimits } from '../domain/accounts/limits.ts';
import { eventLimits } from '../domain/events/limits.ts';
import type { EndpointKey } from '../store/accounts/endpoints.ts';
import { type Bucket, countTokens, takeToken } from './token-bucket.ts';

/** The state of one endpoint in this process. */
export type Lane = {
  readonly endpoint: EndpointKey;
  inProgress: number;
  isFailing: boolean;
  isClaiming: boolean;
  /** More may be due than was claimed. */
  hasMore: boolean;
  bucket?: Bucket;
  /** Counts attempts while it fails; undefined since it accepted one. */
  failing?: Bucket | undefined;
  /** Runs while the lane collects tokens. */
  timer?: NodeJS.Timeout | undefined;
};

export function createEndpointLanes() {
  const lanes = new Map<string, Lane>();
  let inProgress = 0;
  let failingInProgress = 0;
  const slotsOf = ({ isFailing, inProgress: own }: Lane) => {
    const ofEndpoint = isFailing ? eventLimits.eventsOfFailingMax : eventLimits.eventsOfEndpointMax;
    // The rest is for endpoints that have none: otherwise some dozens that are slow would leave nothing to the others.
    const shared = eventLimits.eventsSharedMax - inProgress;
    const ofAll = Math.min(
      eventLimits.eventsInProgressMax - inProgress,
      own === 0 ? Math.max(shared, 1) : shared,
    );
    const ofFailing = isFailing
      ? eventLimits.eventsFailingInProgressMax - failingInProgress
      : Number.POSITIVE_INFINITY;
    return Math.min(ofEndpoint - own, ofAll, ofFailing);
  };
  return {
    laneOf: (endpoint: EndpointKey): Lane => {
      const lane = lanes.get(endpoint.endpointId) ?? newLane(endpoint);
      lanes.set(endpoint.endpointId, lane);
      return lane;
    },
    /** Events that may be started now. */
    freeSlots: (lane: Lane) => Math.floor(Math.min(slotsOf(lane), tokensOf(lane))),
    /** True if the lane has to collect tokens before its next claim. Then `wake` is called once when it has them. */
    collectTokens: (lane: Lane, wake: () => void): boolean => {
      if (lane.timer) return true;
      if (tokensOf(lane) >= slotsOf(lane)) return false;
      lane.timer = setTimeout(() => {
        lane.timer = undefined;
        wake();
      }, collectingMs(lane));
      lane.timer.unref();
      return true;
    },
    /** Takes a slot. The returned function frees it; undefined says nothing about the endpoint. */
    takeSlot: (lane: Lane) => {
      const wasFailing = lane.isFailing;
      lane.inProgress += 1;
      inProgress += 1;
      if (wasFailing) failingInProgress += 1;
      lane.bucket =
        takeToken(lane.bucket, eventLimits.eventsPerSecond, performance.now()) ?? lane.bucket;
      if (wasFailing)
        lane.failing = takeToken(lane.failing, failingBurst, slowNowMs()) ?? lane.failing;
      return (isDelivered: boolean | undefined) => {
        lane.inProgress -= 1;
        inProgress -= 1;
        if (wasFailing) failingInProgress -= 1;
        if (isDelivered !== undefined) lane.isFailing = !isDelivered;
        if (isDelivered) lane.failing = undefined;
      };
    },
    dropIdle: () => {
      for (const [key, lane] of lanes) {
        const isFull = tokensIn(lane.bucket) >= eventLimits.eventsPerSecond;
        const isIdle = lane.inProgress === 0 && !lane.isClaiming && !lane.timer && isFull;
        // That an endpoint fails is worth remembering: otherwise it would get many slots at each retry.
        if (isIdle && (!lane.isFailing || lanes.size > accountLimits.accountsCachedMax))
          lanes.delete(key);
      }
    },
    /** Wakes no lane any more. */
    stop: () => {
      for (const { timer } of lanes.values()) clearTimeout(timer);
    },
  };
}

function newLane(endpoint: EndpointKey): Lane {
  return { endpoint, inProgress: 0, isFailing: false, isClaiming: false, hasMore: false };
}

/**
 * An endpoint that refuses at once gets this many attempts, and then one a second. Otherwise a hundred thousand waiting
 * events would be tried as fast as they fail, and take the CPU from requests.
 */
const failingBurst = 10;

/** A bucket refills within a second of its clock, so this clock makes it take as many seconds as it has tokens. */
function slowNowMs(): number {
  return performance.now() / failingBurst;
}

/**
 * Until the lane has tokens for a whole claim. An empty bucket gets one every 10 ms, and a claim and a record for each of
 * them would cost far more than the events. A timer may run up to a millisecond early, when a token would be missing.
 */
function collectingMs(lane: Lane): number {
  const msOf = (missing: number, perSecond: number) =>
    Math.max(0, Math.ceil((missing * 1_000) / perSecond)) + 1;
  const wanted = lane.isFailing ? eventLimits.eventsOfFailingMax : eventLimits.eventsOfEndpointMax;
  const ms = msOf(wanted - tokensIn(lane.bucket), eventLimits.eventsPerSecond);
  return lane.isFailing ? Math.max(ms, msOf(wanted - failingTokensIn(lane.failing), 1)) : ms;
}

function tokensOf({ isFailing, bucket, failing }: Lane): number {
  return isFailing ? Math.min(tokensIn(bucket), failingTokensIn(failing)) : tokensIn(bucket);
}

function failingTokensIn(bucket: Bucket | undefined): number {
  return countTokens(bucket, failingBurst, slowNowMs());
}

function tokensIn(bucket: Bucket | undefined): number {
  return countTokens(bucket, eventLimits.eventsPerSecond, performance.now());
}
