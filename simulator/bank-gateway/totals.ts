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

/** The part of a capture that is neither refunded nor being refunded. Nothing while it is being voided. */
export function refundableOf(order: GatewayOrder, { id, amount }: GatewayTransaction): number {
  if (voidsOf(order, id).length > 0) return 0;
  const refunds = order.transactions.filter(
    ({ type, result, targetTransactionId }) =>
      type === 'REFUND' && result !== 'FAILURE' && targetTransactionId === id,
  );
  return amount - sumOf(refunds);
}

/** The authorisation with this id, or the only one. Undefined unless the bank has approved it. */
export function findAuthorization(
  order: GatewayOrder,
  id: string | undefined,
): GatewayTransaction | undefined {
  return succeeded(order, 'AUTHORIZATION').find((one) => id === undefined || one.id === id);
}

/** The part of an authorisation that is neither captured nor being captured. Nothing once a void was requested. */
export function capturableOf(
  order: GatewayOrder,
  { id, amount }: Pick<GatewayTransaction, 'id' | 'amount'>,
): number {
  if (voidsOf(order, id).length > 0) return 0;
  const captures = order.transactions.filter(
    ({ type, result, targetTransactionId, id: captureId }) =>
      type === 'CAPTURE' &&
      result !== 'FAILURE' &&
      targetTransactionId === id &&
      !isVoided(order, captureId),
  );
  return amount - sumOf(captures);
}

/** An authorisation while something is left of it, and a payment or capture until a part was refunded. */
export function isVoidable(order: GatewayOrder, target: GatewayTransaction): boolean {
  if (target.type === 'AUTHORIZATION') return capturableOf(order, target) > 0;
  const isOpen = capturesOf(order).includes(target) && voidsOf(order, target.id).length === 0;
  return isOpen && refundableOf(order, target) === target.amount;
}

/** True once the bank has approved an attempt. There is no further attempt then, even after a void. */
export function isApproved(order: GatewayOrder | undefined): boolean {
  return order !== undefined && succeeded(order, 'PAYMENT', 'AUTHORIZATION').length > 0;
}

export function isVoided(order: GatewayOrder, id: string): boolean {
  return voidsOf(order, id).some(({ result }) => result === 'SUCCESS');
}

/** The voids of a transaction that are made or pending. */
function voidsOf({ transactions }: GatewayOrder, id: string): GatewayTransaction[] {
  return transactions.filter(
    ({ type, result, targetTransactionId }) =>
      type.startsWith('VOID_') && result !== 'FAILURE' && targetTransactionId === id,
  );
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
