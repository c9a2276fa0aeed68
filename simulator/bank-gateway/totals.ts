/** The current totals of a gateway order. */
import type { GatewayOrder, GatewayState, GatewayTransaction, TransactionType } from './state.ts';

export function totalsOf(order: GatewayOrder) {
  const captured = sumOf(capturesOf(order));
  const held = succeeded(order, 'AUTHORIZATION').filter(({ id }) => !isVoided(order, id));
  return {
    // Of a voided authorisation only the captured part remains.
    authorized: Math.max(captured, sumOf(held)),
    captured,
    refunded: sumOf(succeeded(order, 'REFUND')),
    chargedBack: sumOf(succeeded(order, 'CHARGEBACK')),
  };
}

/** The payments and captures that were not voided, oldest first. Only these can be refunded. */
export function capturesOf(order: GatewayOrder): GatewayTransaction[] {
  return succeeded(order, 'PAYMENT', 'CAPTURE').filter(({ id }) => !isVoided(order, id));
}

/** Those of one payment, by the id that the ledger has for it. */
export function capturesOfPayment({ orders }: GatewayState, paymentId: string) {
  const [orderId, id] = paymentId.split('|');
  const order = [...orders.values()].find((known) => known.id === orderId);
  const isOf = (capture: GatewayTransaction) =>
    capture.id === id || capture.targetTransactionId === id;
  return { order, captures: order ? capturesOf(order).filter(isOf) : [] };
}

/** The part of a capture that is neither refunded nor being refunded. */
export function refundableOf(
  { transactions }: GatewayOrder,
  { id, amount }: GatewayTransaction,
): number {
  const refunds = transactions.filter(
    ({ type, result, targetTransactionId }) =>
      type === 'REFUND' && result !== 'FAILURE' && targetTransactionId === id,
  );
  return amount - sumOf(refunds);
}

/** True once the bank has approved an attempt. There is no further attempt then, even after a void. */
export function isApproved(order: GatewayOrder | undefined): boolean {
  return order !== undefined && succeeded(order, 'PAYMENT', 'AUTHORIZATION').length > 0;
}

export function isVoided(order: GatewayOrder, id: string): boolean {
  const voids = succeeded(order, 'VOID_AUTHORIZATION', 'VOID_CAPTURE', 'VOID_PAYMENT');
  return voids.some(({ targetTransactionId }) => targetTransactionId === id);
}

function succeeded(
  { transactions }: GatewayOrder,
  ...types: readonly TransactionType[]
): GatewayTransaction[] {
  return transactions.filter(({ type, result }) => types.includes(type) && result === 'SUCCESS');
}

function sumOf(transactions: readonly GatewayTransaction[]): number {
  return transactions.reduce((sum, { amount }) => sum + amount, 0);
}
