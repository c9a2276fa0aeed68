/** When a delivery that could not be applied is tried again. Contract 6.6. */

import { addSeconds } from '../time.ts';
import type { Delivery, DeliveryResult } from './delivery.ts';

const minute = 60;
const hour = 60 * minute;

/** Seconds before each try after the first; together some three days, as long as providers repeat. */
export const retrySeconds: readonly number[] = [
  ...[1, 2, 5, 10, 30],
  ...[1 * minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute],
  ...[1 * hour, 4 * hour, 12 * hour, 24 * hour, 36 * hour],
];

/** The state after one more try that did not succeed: due again, or dead after the last. */
export function nextTryOf(
  delivery: Pick<Delivery, 'tries'>,
  now: Date,
  state: 'parked' | 'received',
): Pick<DeliveryResult, 'state' | 'tries' | 'nextTryAt' | 'finishedAt'> {
  const seconds = retrySeconds[delivery.tries];
  const tries = delivery.tries + 1;
  if (seconds === undefined) return { state: 'dead', tries, nextTryAt: null, finishedAt: now };
  return { state, tries, nextTryAt: addSeconds(now, seconds), finishedAt: null };
}
