/** Which transactions of the gateway move money: payments, captures and refunds, and voids of the first two. */
import type { World } from '../world.ts';
import { paymentOf } from './ledger.ts';
import type { GatewayOrder, GatewayTransaction, TransactionType } from './state.ts';

const kinds: Readonly<Partial<Record<TransactionType, 'captured' | 'returned' | 'refunded'>>> = {
  PAYMENT: 'captured',
  CAPTURE: 'captured',
  VOID_PAYMENT: 'returned',
  VOID_CAPTURE: 'returned',
  REFUND: 'refunded',
};

/** Called when a transaction succeeds; all others move nothing. */
export function moveMoney(
  world: World,
  order: GatewayOrder,
  transaction: GatewayTransaction,
  isAfterFailure = false,
): void {
  const { id, type, result, amount, currency, targetTransactionId, request } = transaction;
  const kind = kinds[type];
  if (kind === undefined || result !== 'SUCCESS') return;
  const payment = type === 'PAYMENT' ? id : paymentOf(order, targetTransactionId);
  // A refund that was made on the gateway's own pages has no request of ours.
  const refundReference = request === undefined ? '' : id;
  world.money.move({
    provider: 'bank-gateway',
    kind,
    paymentId: `${order.id}|${type === 'CAPTURE' ? targetTransactionId : payment}`,
    id: `${order.id}|${id}`,
    reference: type === 'REFUND' ? refundReference : order.id,
    isAfterFailure,
    amount,
    currency,
  });
}
