/**
 * Sends the events that are due, many at a time. Each endpoint has its own claims and its own limit, and one that fails
 * or hangs has a lower one, so that it delays nobody else. Contract 12.5.
 */

import { isEnabled } from '../../domain/accounts/endpoint.ts';
import { ServiceError } from '../../domain/errors.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import { createAccountBatcher } from '../../postgres/account-batch.ts';
import { createEndpointLanes, type Lane } from '../../services/endpoint-lanes.ts';
import type { Services } from '../../services/services.ts';
import type { EndpointKey } from '../../store/accounts/endpoints.ts';
import {
  type AttemptResult,
  claimEvents,
  listDueEndpoints,
} from '../../store/events/event-deliveries.ts';
import { batchBounds } from '../../store/orders/batches.ts';
import { attemptEvent } from './attempt-event.ts';
import { recordAttempts } from './record-attempts.ts';

export type EventDeliveries = {
  /** A round of the background: looks for endpoints with due events. Resolves to false: the events themselves go on. */
  readonly startDue: () => Promise<boolean>;
  /** Events of these endpoints were stored by this process. */
  readonly startDeliveries: (endpoints: readonly EndpointKey[]) => void;
  /** Starts no more attempts, and resolves when those in progress have ended. */
  readonly stop: () => Promise<void>;
};

export function createEventDeliveries(services: Services): EventDeliveries {
  const { database, clock, reportDefect } = services;
  const record = createRecorder(services);
  const lanes = createEndpointLanes();
  const running = new Set<Promise<void>>();
  let isStopped = false;

  /** Claims when many slots are free and have tokens: a claim for each event would cost more than the event. */
  const pump = async (lane: Lane): Promise<void> => {
    lane.hasMore = true;
    if (isStopped || lane.isClaiming || lane.inProgress > eventLimits.eventsOfEndpointMax / 2)
      return;
    if (lanes.collectTokens(lane, () => startPump(lane))) return;
    const limit = lanes.freeSlots(lane);
    if (limit < 1) return;
    lane.isClaiming = true;
    // What is stored from here on may be missed by this claim, and sets this again.
    lane.hasMore = false;
    try {
      const claimed = await claimFor(services, lane.endpoint, limit, () => isStopped);
      if (claimed.length === limit) lane.hasMore = true;
      for (const { event, account, endpoint } of claimed) {
        track(attempt(lane, () => attemptEvent(services, account, endpoint, event)));
      }
    } finally {
      lane.isClaiming = false;
    }
    if (lane.hasMore) await pump(lane);
  };
  const attempt = async (lane: Lane, send: () => Promise<AttemptResult>) => {
    const freeSlot = lanes.takeSlot(lane);
    try {
      const result = await send();
      await record(result);
      freeSlot(result.state === 'delivered');
    } catch (error) {
      // Without a database the result is not saved, and the event is sent again when its claim ends.
      freeSlot(undefined);
      if (!(error instanceof ServiceError)) reportDefect(error, { ...lane.endpoint });
    }
    if (lane.hasMore) startPump(lane);
  };
  const track = (work: Promise<void>) => {
    const ended = work.catch(() => {}).then(() => void running.delete(ended));
    running.add(ended);
    return work;
  };
  const startPump = (lane: Lane) => {
    // A database that is away is reported elsewhere; the next round tries again.
    void track(pump(lane)).catch(() => {});
  };
  return {
    startDue: async () => {
      lanes.dropIdle();
      const due = await listDueEndpoints(database, clock());
      await Promise.all(due.map((endpoint) => track(pump(lanes.laneOf(endpoint)))));
      return false;
    },
    startDeliveries: (endpoints) => {
      for (const endpoint of endpoints) startPump(lanes.laneOf(endpoint));
    },
    stop: async () => {
      isStopped = true;
      lanes.stop();
      // A claim in progress starts attempts.
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function createRecorder(services: Pick<Services, 'database'>) {
  return createAccountBatcher({
    ...batchBounds,
    accountOf: ({ accountId }: AttemptResult) => accountId,
    watch: (countWaiting) => services.database.queueStats.addQueue('events', countWaiting),
    run: (results: readonly AttemptResult[]) => recordAttempts(services, results),
  });
}

async function claimFor(
  { database, accounts, clock }: Pick<Services, 'database' | 'accounts' | 'clock'>,
  { accountId, endpointId }: EndpointKey,
  limit: number,
  isStopped: () => boolean,
) {
  const account = await accounts.find(accountId);
  const endpoint = account?.endpoints.find((entry) => entry.endpointId === endpointId);
  if (isStopped() || !account || !endpoint || !isEnabled(endpoint)) return [];
  const now = clock();
  const claimedUntil = addSeconds(now, eventLimits.eventClaimSeconds);
  const events = await claimEvents(database, endpoint, { now, claimedUntil, limit });
  return events.map((event) => ({ event, account, endpoint }));
}
