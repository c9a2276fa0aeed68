/**
 * The bound of each kind of route of the dashboard and the checkout: how many of its calls one account or network may
 * have in progress in a process, and how many more may wait for a moment. Nobody can take the service from the others.
 * Contract 8.10; docs/security.md lists the routes.
 */
import type { BlockList } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/errors.ts';
import { networkOf } from '../domain/users/network.ts';
import { clientAddress } from './client-address.ts';
import { holdWhileWorking } from './held-slots.ts';
import { httpLimits } from './limits.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    bound?: BoundName;
    /** For how much of the time the calls of one owner may be in progress in the long run. */
    share?: number;
  }
}

type Bound = {
  /** Whose calls are counted together. A file is sent from memory and is not counted. */
  readonly of: 'account' | 'network' | 'session' | 'nobody';
  readonly inProgressMax: number;
  readonly waitingMax: number;
  /** Whether a call also takes one of the slots that all requests share. */
  readonly takesSlot: boolean;
  /** An export is worked on while it is read, so it counts until its connection is done with it. */
  readonly until: 'answered' | 'closed';
};

const usual = { waitingMax: 0, takesSlot: true, until: 'answered' } as const;

export const bounds = {
  file: { ...usual, of: 'nobody', inProgressMax: Infinity, takesSlot: false },
  /** All calls of the dashboard, before the session is looked up. */
  session: { ...usual, of: 'session', inProgressMax: 40 },
  call: { ...usual, of: 'account', inProgressMax: 12, waitingMax: 60 },
  search: { ...usual, of: 'account', inProgressMax: 2, waitingMax: 30 },
  export: { ...usual, of: 'account', inProgressMax: 3, until: 'closed' },
  /** The receiver decides how long it takes. */
  test: { ...usual, of: 'account', inProgressMax: 1, takesSlot: false },
  /** Calls of the dashboard without a session. */
  visit: { ...usual, of: 'network', inProgressMax: 16, waitingMax: 32 },
  /** Read from the database for everybody. */
  logo: { ...usual, of: 'network', inProgressMax: 16, waitingMax: 64, takesSlot: false },
  /** Many consumers share one address of their carrier. */
  page: { ...usual, of: 'network', inProgressMax: 64 },
  checkout: { ...usual, of: 'account', inProgressMax: 100 },
} as const satisfies Readonly<Record<string, Bound>>;

export type BoundName = keyof typeof bounds;

/** How long a call may wait, more or less: those that came together should not come back together. */
const waitMs = 6_000;
/** The first second is free. A slot rests for less time than a call waits, so that a waiting call gets its turn. */
const burstMs = 1_000;
const restMsMax = 4_400;
const refusalMsMax = 10_000;

/** Holds a slot of the route's bound, or of the one given, for its owner. Without one left: `RATE_LIMITED`. */
export type HoldSlot = (
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
  bound?: BoundName,
) => Promise<void>;

/** For routes of this scope and of all scopes inside it whose callers are not known yet. */
export function limitNetworks(app: FastifyInstance, holdSlot: HoldSlot, trustedProxies: BlockList) {
  // With a callback, because most routes have no such bound, and a promise for each of their requests costs CPU.
  app.addHook('onRequest', (request, reply, done) => {
    const { bound } = request.routeOptions.config;
    if (bound === undefined || bounds[bound].of !== 'network') return done();
    const network = networkOf(clientAddress(request.raw, trustedProxies));
    holdSlot(request, reply, network).then(() => done(), done);
  });
}

type Calls = {
  inProgress: number;
  readonly waiting: Set<() => void>;
  /** The time for which calls were in progress, less the share of the time since. */
  usedMs: number;
  /** Refused calls whose answer is still delayed. */
  refused: number;
  atMs: number;
};

/** One per process. */
export function createBounds(): HoldSlot {
  const callsOf = new Map<string, Calls>();
  return async (request, reply, owner, name = request.routeOptions.config.bound) => {
    const { config } = request.routeOptions;
    if (name === undefined) throw new Error('the route has no bound');
    const bound: Bound = bounds[name];
    const key = `${name} ${owner}`;
    const calls = callsOf.get(key) ?? newCalls();
    callsOf.set(key, calls);
    if (calls.inProgress < bound.inProgressMax) calls.inProgress += 1;
    else await waitForTurn(calls, bound, reply);
    const startMs = performance.now();
    const passOn = () => {
      // Whoever waits gets the slot itself, so that a call that comes in between cannot take it.
      const [next] = calls.waiting;
      if (next) return next();
      calls.inProgress -= 1;
      if (calls.inProgress === 0 && calls.usedMs === 0) callsOf.delete(key);
    };
    const free = () => {
      const restMs = useTime(calls, name === config.bound ? config.share : undefined, startMs);
      if (restMs > 0) setTimeout(passOn, restMs).unref();
      else passOn();
    };
    if (bound.until === 'answered') holdWhileWorking(request, reply, free);
    else if (reply.raw.destroyed) free();
    else reply.raw.once('close', free);
  };
}

function newCalls(): Calls {
  return { inProgress: 0, waiting: new Set(), refused: 0, usedMs: 0, atMs: performance.now() };
}

/** The delay of a refusal. It grows with their number, so that few are sent per second. */
function refusalMs({ refused }: Calls): number {
  const ms = httpLimits.admissionRefusalDelayMs * (0.5 + Math.random() + refused / 40);
  return Math.min(ms, refusalMsMax);
}

/** Returns how long the slot has to rest. */
function useTime(calls: Calls, share: number | undefined, startMs: number): number {
  if (share === undefined) return 0;
  const nowMs = performance.now();
  const left = Math.max(0, calls.usedMs - (nowMs - calls.atMs) * share);
  calls.atMs = nowMs;
  calls.usedMs = left + nowMs - startMs;
  return Math.min(restMsMax, Math.max(0, calls.usedMs - burstMs) / share);
}

/** Resolves with the slot of a call that has ended. */
async function waitForTurn(calls: Calls, { waitingMax }: Bound, { raw }: FastifyReply) {
  const { waiting } = calls;
  if (waiting.size >= waitingMax) {
    // A client that is refused immediately retries immediately, and that costs as much as serving it. Not all at once:
    // those that were refused together would come back together.
    calls.refused += 1;
    await delay(refusalMs(calls));
    calls.refused -= 1;
    throw newRefusal();
  }
  return new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => () => {
      clearTimeout(timer);
      waiting.delete(proceed);
      raw.off('close', leave);
      settle();
    };
    const proceed = end(resolve);
    const leave = end(() => reject(newRefusal()));
    const timer = setTimeout(leave, waitMs * (0.75 + Math.random() / 2));
    waiting.add(proceed);
    raw.once('close', leave);
  });
}

function newRefusal(): ServiceError {
  const message =
    'Too many calls like this are running for you at the moment: wait a few seconds, then try again.';
  return new ServiceError('RATE_LIMITED', message, { retryAfterSeconds: 2 });
}
