/** Reads from a gateway's notification what was paid and how. */
import { maskCardField } from '../../domain/cards/card-numbers.ts';
import type { Total } from '../../domain/payments/notice.ts';
import { isoTime, majorUnits, object, present, text, type WireObject } from '../wire.ts';

export function paymentFields(body: WireObject) {
  const transaction = object(body.transaction);
  const acquirer = object(transaction.acquirer);
  const response = object(body.response);
  const order = object(body.order);
  const currency = text(transaction.currency) ?? text(order.currency);
  return {
    currency,
    amount: majorUnits(transaction.amount ?? order.amount, currency),
    message: text(response.acquirerMessage) ?? text(response.gatewayCode),
    paymentMode: paymentMode(body),
    subPaymentMode: subPaymentMode(body),
    paymentArn:
      text(transaction.receipt) ??
      text(acquirer.transactionId) ??
      text(transaction.authorizationCode),
    paymentAcquirer: text(acquirer.id),
  };
}

function cardOf(body: WireObject): WireObject {
  return object(object(object(body.sourceOfFunds).provided).card);
}

/** Undefined without a funding method, so that another notice of the payment can provide it. */
function paymentMode(body: WireObject): string | undefined {
  switch (text(cardOf(body).fundingMethod)) {
    case 'CREDIT':
      return 'Credit Card';
    case 'DEBIT':
      return 'Debit Card';
    case undefined:
      return undefined;
    default:
      return 'Card';
  }
}

function subPaymentMode(body: WireObject): Record<string, string> | undefined {
  const card = cardOf(body);
  const fields = present({
    scheme: text(card.scheme) ?? text(card.brand),
    card_type: text(card.fundingMethod),
    issuer: text(card.issuer),
    masked_card: maskCardField(text(card.number) ?? '') || undefined,
  }) as Record<string, string>;
  return Object.keys(fields).length === 0 ? undefined : fields;
}

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
