/** The total that the gateway has captured for an order, and the time of that total. */
import type { CapturedTotal } from '../../domain/transactions/notice.ts';
import { isoTime, majorUnits, object, text, type WireObject } from '../wire.ts';

/** The total is as of the latest time in the record: a status fetch may return it long after the transaction. */
export function capturedTotal(body: WireObject): CapturedTotal | undefined {
  const order = object(body.order);
  const amount = majorUnits(order.totalCapturedAmount, text(order.currency));
  const readAt = [order.lastUpdatedTime, body.timeOfLastUpdate, body.timeOfRecord];
  return amount === undefined
    ? undefined
    : { amount, atMs: Math.max(0, ...readAt.map((time) => isoTime(time) ?? 0)) };
}
