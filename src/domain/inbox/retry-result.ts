/**
 * What a stored delivery is after it was applied again although no try was due: because its order appeared, the
 * provider repeated it, or an operator replayed it. Such an attempt does not count as a try.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Delivery, type DeliveryResult, isUnfinished } from './delivery.ts';

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
