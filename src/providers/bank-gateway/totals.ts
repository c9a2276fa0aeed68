/** The totals that the gateway has captured and refunded for an order, and the time of those totals. */
import type { Total } from '../../domain/transactions/notice.ts';
import { isoTime, majorUnits, object, text, type WireObject } from '../wire.ts';

/** A total is as of the latest time in the record: a status fetch may return it long after the transaction. */
export function totals(
  body: WireObject,
  isRefund = false,
): { capturedTotal?: Total; refundedTotal?: Total } {
  const order = object(body.order);
  const readAt = [order.lastUpdatedTime, body.timeOfLastUpdate, body.timeOfRecord];
  const atMs = Math.max(0, ...readAt.map((time) => isoTime(time) ?? 0));
  const captured = majorUnits(order.totalCapturedAmount, text(order.currency));
  const refunded = majorUnits(order.totalRefundedAmount, text(order.currency));
  return {
    ...(captured !== undefined && { capturedTotal: { amount: captured, atMs } }),
    // Most payments are never refunded, and each would store that nothing was.
    ...(refunded !== undefined &&
      (refunded > 0 || isRefund) && { refundedTotal: { amount: refunded, atMs } }),
  };
}
