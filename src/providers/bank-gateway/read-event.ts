/** Reads what every notification of the gateway has: the ids by which it may name its order, and its times. */
import { createHash } from 'node:crypto';
import type { References } from '../../domain/payments/notice.ts';
import { isoTime, object, references, type WireObject } from '../wire.ts';

/** `order.id` may be any of our three ids; the references count only if it is none of them. */
export function readReferences(
  orderId: string,
  order: WireObject,
  transaction: WireObject,
): References {
  const anyOf = (ids: string[]) => ({ transactionIds: ids, orderIds: ids, invoiceIds: ids });
  const others = references(order.reference, transaction.reference);
  return {
    ...anyOf([orderId]),
    providerOrderId: orderId,
    fallbacks: others.map((other) => anyOf([other])),
  };
}

/** The times of a gateway's notification, and the one that goes into a transaction id. */
export function times(body: WireObject, isRefund = false) {
  const order = object(body.order);
  const recordedAtMs = isoTime(body.timeOfRecord);
  const occurredAtMs =
    isoTime(body.timeOfLastUpdate) ?? recordedAtMs ?? isoTime(order.lastUpdatedTime);
  const orderStartedAtMs = isRefund ? undefined : isoTime(order.creationTime);
  return {
    occurredAtMs,
    statusSinceMs: occurredAtMs,
    startedAtMs: orderStartedAtMs ?? recordedAtMs,
    recordedAtMs: recordedAtMs ?? orderStartedAtMs,
  };
}

/**
 * An authorisation and its captures are one payment, but each has times of its own. The start of the order and the id
 * of the payment are the same for all of them. Most ids are small numbers: 1, 2, 3 …
 */
export function namedAtMs(body: WireObject, pspTransactionId: string): number | undefined {
  const startedAtMs = isoTime(object(body.order).creationTime);
  if (startedAtMs === undefined) return undefined;
  const transactionId = pspTransactionId.slice(pspTransactionId.lastIndexOf('|') + 1);
  const isSmall = /^\d{1,4}$/.test(transactionId);
  const digest = createHash('sha256').update(transactionId).digest();
  return (
    startedAtMs +
    1000 * (isSmall ? Math.max(0, Number(transactionId) - 1) : digest.readUInt16BE() % 3600)
  );
}
