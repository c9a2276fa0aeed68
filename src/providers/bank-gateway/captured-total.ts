/** What the gateway has captured in the whole order, and when it said so. */
import type { CapturedTotal } from '../../domain/transactions/notice.ts';
import { isoTime, majorUnits, object, text, type WireObject } from '../wire.ts';

/** The total of the whole order when the record was read, which a status fetch does long after its update. */
export function capturedTotal(body: WireObject): CapturedTotal | undefined {
  const order = object(body.order);
  const amount = majorUnits(order.totalCapturedAmount, text(order.currency));
  const readAt = [order.lastUpdatedTime, body.timeOfLastUpdate, body.timeOfRecord];
  return amount === undefined
    ? undefined
    : { amount, atMs: Math.max(0, ...readAt.map((time) => isoTime(time) ?? 0)) };
}
