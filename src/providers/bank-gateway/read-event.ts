/** Reads a notification of the gateway: the ids by which it may name its order, its times, what was paid and how. */
import { hash } from 'node:crypto';
import { maskCardField } from '../../domain/cards/card-numbers.ts';
import {
  givenTexts,
  isoTime,
  majorUnits,
  object,
  references,
  text,
  type WireObject,
} from '../wire.ts';

/** `order.id` may be any of our three ids; the references count only if it is none of them. */
export function readReferences(orderId: string, order: WireObject, transaction: WireObject) {
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
  const seconds = isSmall ? Math.max(0, Number(transactionId) - 1) : secondsOf(transactionId);
  return startedAtMs + 1000 * seconds;
}

function secondsOf(transactionId: string): number {
  return hash('sha256', transactionId, 'buffer').readUInt16BE() % 3600;
}

export function paymentFields(body: WireObject) {
  const transaction = object(body.transaction);
  const acquirer = object(transaction.acquirer);
  const response = object(body.response);
  const order = object(body.order);
  const card = object(object(object(body.sourceOfFunds).provided).card);
  const currency = text(transaction.currency) ?? text(order.currency);
  return {
    currency,
    amount: majorUnits(transaction.amount ?? order.amount, currency),
    message: text(response.acquirerMessage) ?? text(response.gatewayCode),
    paymentMode: paymentMode(text(card.fundingMethod)),
    subPaymentMode: givenTexts({
      scheme: text(card.scheme) ?? text(card.brand),
      card_type: text(card.fundingMethod),
      issuer: text(card.issuer),
      masked_card: maskCardField(text(card.number) ?? '') || undefined,
    }),
    paymentArn:
      text(transaction.receipt) ??
      text(acquirer.transactionId) ??
      text(transaction.authorizationCode),
    paymentAcquirer: text(acquirer.id),
  };
}

/** Undefined without a funding method, so that another notice of the payment can provide it. */
function paymentMode(fundingMethod: string | undefined): string | undefined {
  if (fundingMethod === 'CREDIT') return 'Credit Card';
  if (fundingMethod === 'DEBIT') return 'Debit Card';
  return fundingMethod === undefined ? undefined : 'Card';
}

/** A total is as of the latest time in the record: a status fetch may return it long after the transaction. */
export function totals(body: WireObject, isRefund = false) {
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
