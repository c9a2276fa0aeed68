/** When an event that an endpoint did not accept is sent again, and when it is given up. Contract 12.5. */
import { addSeconds } from '../time.ts';

const minute = 60;
const hour = 60 * minute;

/** Seconds before each attempt after the first: together about three days. */
export const attemptSeconds: readonly number[] = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const retryAfterSecondsMax = 24 * hour;
/** Up to this share later, so that what failed together does not come back together. */
const jitterShare = 0.2;

/**
 * When to send again after `attempts` failed ones; null when there is no further attempt. `retryAfterSeconds` is what the
 * endpoint asked for. `random` is from 0 to 1.
 */
export function nextAttemptAt(
  attempts: number,
  now: Date,
  { retryAfterSeconds, random }: { retryAfterSeconds?: number | undefined; random: number },
): Date | null {
  const usual = attemptSeconds[attempts - 1];
  if (usual === undefined) return null;
  if (retryAfterSeconds !== undefined) {
    return addSeconds(now, Math.min(Math.max(retryAfterSeconds, 1), retryAfterSecondsMax));
  }
  return addSeconds(now, usual * (1 + jitterShare * random));
}

/** The header `Retry-After`: seconds, or a date. Undefined if it is neither. */
export function readRetryAfter(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text);
  // Only the form of HTTP: `Date.parse` also reads "2" as a year.
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/.test(text.trim()))
    return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : (atMs - now.getTime()) / 1000;
}
