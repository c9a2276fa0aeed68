/**
 * Reads the operator's counters from the database, cached and with a short timeout, so that scraping causes little
 * load.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../domain/limits.ts';
import type { Services } from '../../services/services.ts';
import {
  type OperatorCounters,
  readOperatorCounters,
} from '../../store/upkeep/operator-counters.ts';
import { mergeSteps } from './sweep.ts';

export type { OperatorCounters };

/** Resolves to undefined if the database does not answer in time. */
export type CountersReader = () => Promise<OperatorCounters | undefined>;

/** Callers share a running read, and its result for `cachedMs`. */
export function createCountersReader(
  services: Pick<Services, 'database' | 'backgroundReports' | 'clock'>,
  { cachedMs = limits.countersCachedMs }: { readonly cachedMs?: number | undefined } = {},
): CountersReader {
  let cached: Promise<OperatorCounters | undefined> | undefined;
  const read = () => {
    const reading = readOperatorCounters(services.database, services.clock())
      .then((counters) => ({ ...counters, steps: mergeSteps(services, counters.steps) }))
      .catch(() => undefined);
    cached = reading;
    void reading.then(async () => {
      await delay(cachedMs, undefined, { ref: false });
      cached = undefined;
    });
    return reading;
  };
  return async () => {
    const ending = new AbortController();
    const late = delay(limits.countersAnswerMsMax, undefined, { signal: ending.signal });
    try {
      return await Promise.race([cached ?? read(), late.catch(() => undefined)]);
    } finally {
      ending.abort();
    }
  };
}
