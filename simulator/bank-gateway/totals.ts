/** What the transactions of a gateway order add up to today. */
import type { GatewayOrder, GatewayTransaction, TransactionType } from './state.ts';

export function totalsOf(order: GatewayOrder) {
  const captured = sumOf(capturesOf(order));
  const held = succeeded(order, 'AUTHORIZATION').filter(({ id }) => !isVoided(order, id));
  return {
    // A voided authorisation holds no more than what was captured of it before.
    authorized: Math.max(captured, sumOf(held)),
    captured,
    refunded: sumOf(succeeded(order, 'REFUND')),
    chargedBack: sumOf(succeeded(order, 'CHARGEBACK')),
  };
}

/** The payments and captures that were not voided, oldest first: what can be refunded. */
export function capturesOf(order: GatewayOrder): GatewayTransaction[] {
  return succeeded(order, 'PAYMENT', 'CAPTURE').filter(({ id }) => !isVoided(order, id));
}

/** What of a capture was not refunded and is not on its way back. */
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

/** The bank has said yes once: there is no second try, also when it was taken back. */
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
