/** Reads the operator's figures from the database, seldom and without waiting long: looking must not hurt. */
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../domain/limits.ts';
import type { Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import { type OperatorCounters, readOperatorCounters } from '../../store/operator-counters.ts';

type Needs = {
  readonly database: Database;
  readonly clock: Clock;
};

export type { OperatorCounters };

/** Gives undefined while the database does not answer. */
export type CountersReader = () => Promise<OperatorCounters | undefined>;

/** Those who ask within a while share one reading, as do all who ask while it lasts. */
export function createCountersReader(
  { database, clock }: Needs,
  { keptMs = limits.countersCachedMs }: { readonly keptMs?: number | undefined } = {},
): CountersReader {
  let kept: Promise<OperatorCounters | undefined> | undefined;
  const read = () => {
    const reading = readOperatorCounters(database, clock()).catch(() => undefined);
    kept = reading;
    void reading.then(async () => {
      await delay(keptMs, undefined, { ref: false });
      kept = undefined;
    });
    return reading;
  };
  return async () => {
    const ending = new AbortController();
    const late = delay(limits.countersAnswerMsMax, undefined, { signal: ending.signal });
    try {
      return await Promise.race([kept ?? read(), late.catch(() => undefined)]);
    } finally {
      ending.abort();
    }
  };
}
