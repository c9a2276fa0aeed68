/**
 * Looks up the names of hosts without occupying the threads of the process. The platform resolves names on four threads
 * that everything shares, and a name whose name servers are dead holds one of them for up to 20 s. Results are shared by
 * those who wait for the same name at the same time, and not kept. Contract 12.5.
 */
import type { LookupAllOptions } from 'node:dns';
import { createBoundedCache } from '../domain/bounded-cache.ts';
import { eventLimits } from '../domain/events/limits.ts';
import type { LookUp } from '../security/checked-address.ts';

/** How the last lookup of a name went; `new` if it is not known. */
type Speed = 'fast' | 'new' | 'slow';

type Lookup = {
  readonly hostname: string;
  readonly options: LookupAllOptions;
  speed: Speed;
  requests: readonly Request[];
};
type Request = { readonly callback: Parameters<LookUp>[2]; readonly sinceMs: number };

/** The options must be the same for each lookup of a name. */
export function createNameLookups(lookUp: LookUp, nowMs = () => performance.now()): LookUp {
  const speeds = createBoundedCache<Speed>(eventLimits.namesRememberedMax);
  const running = new Map<string, Lookup>();
  /** In the order in which they were wanted. */
  const queued = new Map<string, Lookup>();

  const note = (lookup: Lookup, speed: Speed) => {
    lookup.speed = speed;
    speeds.set(lookup.hostname, speed);
  };
  const start = (lookup: Lookup) => {
    queued.delete(lookup.hostname);
    running.set(lookup.hostname, lookup);
    let speed: Speed = 'fast';
    const timer = setTimeout(() => {
      speed = 'slow';
      note(lookup, speed);
    }, eventLimits.lookupFastMsMax);
    timer.unref();
    lookUp(lookup.hostname, lookup.options, (error, found) => {
      clearTimeout(timer);
      running.delete(lookup.hostname);
      note(lookup, speed);
      startQueued();
      for (const { callback } of lookup.requests) callback(error, found);
    });
  };
  const startQueued = () => {
    for (const lookup of queued.values()) if (hasThread(running, lookup)) start(lookup);
  };
  return (hostname, options, callback) => {
    const request = { callback, sinceMs: nowMs() };
    const known = running.get(hostname) ?? queued.get(hostname);
    if (known) {
      known.requests = [...listOpen(known, nowMs()), request];
      return;
    }
    const speed = speeds.get(hostname) ?? 'new';
    const lookup = { hostname, options, speed, requests: [request] };
    if (hasThread(running, lookup)) start(lookup);
    else if (hasRoom(queued, lookup)) queued.set(hostname, lookup);
    else process.nextTick(callback, newBusyError(), []);
  };
}

/** By the code, callers know that no connection was made. */
function newBusyError(): Error {
  const error = new Error('too many names of hosts wait to be resolved');
  return Object.assign(error, { code: 'LOOKUPS_BUSY' });
}

/**
 * Slow names share one thread. New ones may turn out to be slow, so they leave one to names that were fast, and all
 * together leave one to the rest of the process.
 */
function hasThread(running: ReadonlyMap<string, Lookup>, { speed }: Lookup): boolean {
  if (running.size >= eventLimits.lookupsMax) return false;
  const others = [...running.values()].filter((lookup) => lookup.speed !== 'fast');
  if (speed !== 'fast' && others.length >= eventLimits.lookupsNotFastMax) return false;
  return speed !== 'slow' || others.every((lookup) => lookup.speed !== 'slow');
}

/**
 * A queued lookup runs even if its requests have ended in the meantime: otherwise a name that is fast again would stay
 * slow as long as dead names are before it. So the queue needs a limit, and slow names must not use up that of others.
 */
function hasRoom(queued: ReadonlyMap<string, Lookup>, { speed }: Lookup): boolean {
  if (speed !== 'slow') return queued.size < eventLimits.lookupsQueuedMax;
  const slow = [...queued.values()].filter((lookup) => lookup.speed === 'slow');
  return slow.length < eventLimits.slowLookupsQueuedMax;
}

/** Requests end by themselves if they have no connection in time, and then need no address. */
function listOpen({ requests }: Lookup, nowMs: number): Request[] {
  return requests.filter(({ sinceMs }) => nowMs - sinceMs < eventLimits.eventConnectMsMax);
}
