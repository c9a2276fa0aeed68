/** When a delivery that could not be applied is tried again, and when it is given up. Contract 6.6. */
import { isDeepStrictEqual } from 'node:util';
import { addSeconds } from '../time.ts';
import { type Delivery, type DeliveryResult, isUnfinished } from './delivery.ts';

const minute = 60;
const hour = 60 * minute;

/**
 * Seconds before each try after the first; together about three days, as long as providers repeat a delivery. Few of them
 * are early: an order that appears applies its deliveries itself, and most that stay parked belong to other businesses.
 */
export const retrySeconds: readonly number[] = [
  1,
  5,
  30,
  2 * minute,
  5 * minute,
  10 * minute,
  30 * minute,
  1 * hour,
  2 * hour,
  4 * hour,
  6 * hour,
  8 * hour,
  12 * hour,
  16 * hour,
  24 * hour,
];

export type Tried = Pick<Delivery, 'tries'>;
type NextTry = Pick<DeliveryResult, 'state' | 'tries' | 'nextTryAt' | 'finishedAt'>;

/** After one more unsuccessful try: the delivery is due again later, or dead after the last try. */
export function nextTryOf(delivery: Tried, now: Date, state: 'parked' | 'received'): NextTry {
  const seconds = retrySeconds[delivery.tries];
  const tries = delivery.tries + 1;
  if (seconds === undefined) return { state: 'dead', tries, nextTryAt: null, finishedAt: now };
  return { state, tries, nextTryAt: addSeconds(now, seconds), finishedAt: null };
}

/** After a try that ended in an error of ours: it counts like any other, or the delivery would be tried for ever. */
export function failedTryOf(delivery: Tried, now: Date) {
  const why = 'it could not be applied and is tried again';
  return { ...nextTryOf(delivery, now, 'received'), why };
}

/** False once another process has tried it: then it is finished, or due later. */
export function isDue({ state, nextTryAt }: Pick<Delivery, 'state' | 'nextTryAt'>, now: Date) {
  return isUnfinished(state) && nextTryAt !== null && nextTryAt <= now;
}

/**
 * What a stored delivery is after it was applied again although no try was due: because its order appeared, the
 * provider repeated it, or an operator replayed it. Such an attempt does not count as a try.
 */
export function resultOfRetry(delivery: Delivery, result: DeliveryResult): DeliveryResult {
  const { state, tries, nextTryAt, finishedAt } = delivery;
  if (isUnfinished(result.state)) {
    // A delivery that a person closed stays closed until it can be applied.
    if (state === 'resolved') return delivery;
    return isUnfinished(state) ? { ...result, state, tries, nextTryAt, finishedAt } : result;
  }
  return isNothingNew(delivery, result) ? delivery : result;
}

/** The delivery was applied to its order before, and applying it again changed nothing. */
function isNothingNew(delivery: Delivery, result: DeliveryResult): boolean {
  const { state, why, flags, orderId } = delivery;
  if (state === 'resolved' && result.state !== 'processed') {
    // The person who closed it has seen these flags.
    return orderId === result.orderId && result.flags.every((flag) => flags.includes(flag));
  }
  if (orderId === null) return false;
  if (result.state === 'stale') return true;
  return isDeepStrictEqual(
    [state, why, flags, orderId],
    [result.state, result.why, result.flags, result.orderId],
  );
}
