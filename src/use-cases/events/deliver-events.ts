/**
 * Sends the events that are due, many at a time. Each endpoint has its own claims and its own limit, and one that fails
 * or hangs has a lower one, so that it delays nobody else. Contract 12.5.
 */
import { isEnabled } from '../../domain/accounts/endpoint.ts';
import { ServiceError } from '../../domain/errors.ts';
import { eventLimits } from '../../domain/events/limits.ts';
import { addSeconds } from '../../domain/time.ts';
import { createAccountBatcher } from '../../postgres/account-batch.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import { createEndpointLanes, type Lane } from '../../services/endpoint-lanes.ts';
import type { Services } from '../../services/services.ts';
import { lockAccount } from '../../store/accounts/accounts.ts';
import { disableEndpoint, type EndpointKey } from '../../store/accounts/endpoints.ts';
import {
  type AttemptResult,
  claimEvents,
  type EndpointHealth,
  insertAttempts,
  listDueEndpoints,
  saveHealth,
  saveResults,
} from '../../store/events/event-deliveries.ts';
import { batchBounds } from '../../store/orders/batches.ts';
import { attemptEvent, isGone } from './attempt-event.ts';

/**
 * `startDue` is a round of the background: it looks for endpoints with due events, and resolves to false, because the
 * events themselves go on. `startDeliveries` gets endpoints whose events were stored by this process. `stop` starts no
 * more attempts, and resolves when those in progress have ended.
 */
export function createEventDeliveries(services: Services) {
  const { database, clock, reportDefect } = services;
  const record = createAccountBatcher({
    ...batchBounds,
    accountOf: ({ accountId }: AttemptResult) => accountId,
    watch: (countWaiting) => database.queueStats.addQueue('events', countWaiting),
    run: (results: readonly AttemptResult[]) => recordAttempts(services, results),
  });
  const lanes = createEndpointLanes();
  const { track, waitForRunning } = createRunning();
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
    startDeliveries: (endpoints: readonly EndpointKey[]) => {
      for (const endpoint of endpoints) startPump(lanes.laneOf(endpoint));
    },
    stop: async () => {
      isStopped = true;
      lanes.stop();
      await waitForRunning();
    },
  };
}

function createRunning() {
  const running = new Set<Promise<void>>();
  return {
    track: (work: Promise<void>) => {
      const ended = work.catch(() => {}).then(() => void running.delete(ended));
      running.add(ended);
      return work;
    },
    waitForRunning: async () => {
      // A claim in progress starts attempts.
      while (running.size > 0) await Promise.all(running);
    },
  };
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

type Disabled = EndpointKey & { readonly reason: string };

/**
 * Saves the results of attempts, and disables endpoints that are gone or have failed for days. If this fails, the events
 * are sent again when their claim ends: at least once, never lost. Contract 12.5. Resolves to one `true` for each result.
 */
async function recordAttempts(
  { database }: Pick<Services, 'database'>,
  results: readonly AttemptResult[],
) {
  await database.transaction(async (tx) => {
    const [, , failing] = await inOrder([
      () => saveResults(tx, results),
      () => insertAttempts(tx, results),
      () => saveHealth(tx, listHealth(results)),
    ]);
    const gone = results
      .filter(isGone)
      .map((result) => ({ ...result, reason: 'The endpoint answered 410 Gone.' }));
    await disable(tx, [...gone, ...listFailed(results, failing)]);
  });
  return results.map(() => true);
}

/** In the order of their ids, so that two processes cannot deadlock. */
function listHealth(results: readonly AttemptResult[]): EndpointHealth[] {
  const byEndpoint = Map.groupBy(results, ({ endpointId }) => endpointId);
  return [...byEndpoint.values()]
    .flatMap((own) => {
      const hasSuccess = own.some(({ state }) => state === 'delivered');
      return own.slice(0, 1).map(({ accountId, endpointId, attemptedAt }) => {
        return { accountId, endpointId, failingSince: hasSuccess ? null : attemptedAt };
      });
    })
    .sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
}

function listFailed(results: readonly AttemptResult[], failing: readonly EndpointHealth[]) {
  const lastAtMs = Math.max(...results.map(({ attemptedAt }) => attemptedAt.getTime()));
  const since = addSeconds(new Date(lastAtMs), -eventLimits.endpointFailingDays * 24 * 60 * 60);
  return failing.flatMap(({ failingSince, ...key }) => {
    if (failingSince === null || failingSince > since) return [];
    const reason = `Every attempt has failed since ${failingSince.toISOString()}.`;
    return [{ ...key, reason }];
  });
}

/** The new revision of the account tells every process. */
async function disable(tx: Transaction, disabled: readonly Disabled[]): Promise<void> {
  const byAccount = disabled.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
  for (const { accountId, endpointId, reason } of byAccount) {
    await lockAccount(tx, accountId);
    await disableEndpoint(tx, { accountId, endpointId }, reason);
  }
}
