/**
 * How many events this process may send to an endpoint now. Each endpoint has slots of its own, fewer if it fails, and
 * all share a total, so that one that fails or hangs delays nobody else. Contract 12.5.
 */
import { limits } from '../domain/limits.ts';
import type { EndpointName } from '../store/endpoints.ts';
import { type Bucket, takeToken } from './token-bucket.ts';

/** The state of one endpoint in this process. */
export type Lane = {
  readonly endpoint: EndpointName;
  inProgress: number;
  isFailing: boolean;
  isClaiming: boolean;
  /** More may be due than was claimed. */
  hasMore: boolean;
  bucket: Bucket | undefined;
  /** Counts attempts while it fails; undefined since it accepted one. */
  failing: Bucket | undefined;
};

export type EndpointLanes = {
  readonly laneOf: (endpoint: EndpointName) => Lane;
  /** Events that may be started now. */
  readonly freeSlots: (lane: Lane) => number;
  /** Takes a slot. The returned function frees it; undefined says nothing about the endpoint. */
  readonly takeSlot: (lane: Lane) => (isDelivered: boolean | undefined) => void;
  readonly dropIdle: () => void;
};

export function createEndpointLanes(): EndpointLanes {
  const lanes = new Map<string, Lane>();
  let inProgress = 0;
  let failingInProgress = 0;
  return {
    laneOf: (endpoint) => {
      const lane = lanes.get(endpoint.endpointId) ?? newLane(endpoint);
      lanes.set(endpoint.endpointId, lane);
      return lane;
    },
    freeSlots: (lane) => {
      const { isFailing } = lane;
      const ofEndpoint = isFailing ? limits.eventsOfFailingMax : limits.eventsOfEndpointMax;
      // The rest is for endpoints that have none: otherwise some dozens that are slow would leave nothing to the others.
      const shared = limits.eventsSharedMax - inProgress;
      const ofAll = Math.min(
        limits.eventsInProgressMax - inProgress,
        lane.inProgress === 0 ? Math.max(shared, 1) : shared,
      );
      const ofFailing = isFailing
        ? limits.eventsFailingInProgressMax - failingInProgress
        : Number.POSITIVE_INFINITY;
      const slots = Math.min(ofEndpoint - lane.inProgress, ofAll, ofFailing);
      const inTime = isFailing
        ? Math.min(tokensOf(lane.bucket), failingTokensOf(lane))
        : tokensOf(lane.bucket);
      return Math.floor(Math.min(slots, inTime));
    },
    takeSlot: (lane) => {
      const wasFailing = lane.isFailing;
      lane.inProgress += 1;
      inProgress += 1;
      if (wasFailing) failingInProgress += 1;
      lane.bucket =
        takeToken(lane.bucket, limits.eventsPerSecond, performance.now()) ?? lane.bucket;
      if (wasFailing)
        lane.failing = takeToken(lane.failing, failingBurst, slowNowMs()) ?? lane.failing;
      return (isDelivered) => {
        lane.inProgress -= 1;
        inProgress -= 1;
        if (wasFailing) failingInProgress -= 1;
        if (isDelivered !== undefined) lane.isFailing = !isDelivered;
        if (isDelivered) lane.failing = undefined;
      };
    },
    dropIdle: () => {
      for (const [key, lane] of lanes) {
        const isIdle = lane.inProgress === 0 && !lane.isClaiming && isFull(lane.bucket);
        // That an endpoint fails is worth remembering: otherwise it would get many slots at each retry.
        if (isIdle && (!lane.isFailing || lanes.size > limits.accountsCachedMax)) lanes.delete(key);
      }
    },
  };
}

function newLane(endpoint: EndpointName): Lane {
  return {
    ...{ endpoint, inProgress: 0, isFailing: false, isClaiming: false, hasMore: false },
    bucket: undefined,
    failing: undefined,
  };
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

function failingTokensOf({ failing }: Lane): number {
  if (!failing) return failingBurst;
  const idleMs = Math.max(0, slowNowMs() - failing.atMs);
  return Math.min(failingBurst, failing.tokens + (idleMs * failingBurst) / 1_000);
}

function isFull(bucket: Bucket | undefined): boolean {
  return tokensOf(bucket) >= limits.eventsPerSecond;
}

function tokensOf(bucket: Bucket | undefined): number {
  if (!bucket) return limits.eventsPerSecond;
  const idleMs = Math.max(0, performance.now() - bucket.atMs);
  return Math.min(
    limits.eventsPerSecond,
    bucket.tokens + (idleMs * limits.eventsPerSecond) / 1_000,
  );
}
