/** Records that the partner returned to a call, each in the envelope of a webhook. */
import { id, minorUnits, text, type WireObject } from '../wire.ts';

const eventsByStatus: ReadonlyMap<string, string> = new Map([
  ['authorized', 'payment.authorized'],
  ['captured', 'payment.captured'],
  ['refunded', 'payment.captured'],
  ['failed', 'payment.failed'],
]);

/** Equal answers are one delivery, so the time of a read is left out unless there are refunds, which are as of then. */
export function polledPaymentEvent(payment: WireObject, readAt: Date): Buffer[] {
  const hasRefunds = (minorUnits(payment.amount_refunded) ?? 0) > 0;
  return paymentEvent(payment, hasRefunds ? readAt : undefined);
}

export function paymentEvent(payment: WireObject, readAt?: Date): Buffer[] {
  const event = eventsByStatus.get(text(payment.status) ?? '');
  if (event === undefined || id(payment.id) === undefined) return [];
  return [envelope(event, { payment: { entity: payment } }, readAt)];
}

export function refundEvent(refund: WireObject): Buffer {
  return envelope('refund.created', { refund: { entity: refund } });
}

/** `read_at` is ours: totals in the record are as of then. */
function envelope(event: string, payload: object, readAt?: Date): Buffer {
  const read = readAt && { read_at: Math.floor(readAt.getTime() / 1_000) };
  return Buffer.from(JSON.stringify({ entity: 'event', event, payload, ...read }), 'utf8');
}
