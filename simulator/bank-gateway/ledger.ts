/** The gateway's orders as ledger entries: one payment is one authorisation or one PAYMENT. */
import type { LedgerDispute, LedgerPayment, LedgerRefund } from '../world.ts';
import type { GatewayOrder, GatewayState, GatewayTransaction } from './state.ts';
import { isVoided, totalsOf } from './totals.ts';

export function gatewayPaymentsInLedger(state: GatewayState): LedgerPayment[] {
  return [...state.orders.values()].flatMap((order) =>
    order.transactions.filter(isAttempt).map((transaction) => ({
      provider: 'bank-gateway',
      id: `${order.id}|${transaction.id}`,
      reference: order.id,
      currency: transaction.currency,
      ...outcomeOf(order, transaction),
      asked: order.amount,
      discount: 0,
      fee: 0,
    })),
  );
}

const refundStatuses = { SUCCESS: 'processed', FAILURE: 'failed', PENDING: 'pending' } as const;

export function gatewayRefundsInLedger(state: GatewayState): LedgerRefund[] {
  return [...state.orders.values()].flatMap((order) =>
    order.transactions
      .filter(({ type }) => type === 'REFUND')
      .map(({ id, amount, currency, result, targetTransactionId }) => ({
        provider: 'bank-gateway',
        id: `${order.id}|${id}`,
        paymentId: `${order.id}|${paymentOf(order, targetTransactionId)}`,
        reference: id,
        amount,
        currency,
        status: refundStatuses[result],
      })),
  );
}

export function gatewayDisputesInLedger(state: GatewayState): LedgerDispute[] {
  return [...state.orders.values()].flatMap((order) =>
    order.transactions
      .filter(({ type }) => type === 'CHARGEBACK')
      .map(({ id, amount, currency, targetTransactionId }) => ({
        provider: 'bank-gateway',
        id: `${order.id}|${id}`,
        paymentId: `${order.id}|${paymentOf(order, targetTransactionId)}`,
        reference: order.id,
        amount,
        currency,
        status: 'lost',
      })),
  );
}

/** A failed authentication counts as an attempt, because no payment follows it. */
function isAttempt({ type, result }: GatewayTransaction): boolean {
  if (type === 'AUTHENTICATION') return result === 'FAILURE';
  return type === 'PAYMENT' || type === 'AUTHORIZATION';
}

/** The amount is the approved one until no further capture is possible, and the captured one after that. */
function outcomeOf(
  order: GatewayOrder,
  { id, result, amount }: GatewayTransaction,
): Pick<LedgerPayment, 'status' | 'amount' | 'captured'> {
  if (result !== 'SUCCESS') {
    return { status: result === 'FAILURE' ? 'failed' : 'created', amount, captured: 0 };
  }
  const { captured } = totalsOf(order);
  const isLapsed = order.isHoldOver === true && captured > 0;
  const isOver = captured === amount || isVoided(order, id) || isLapsed;
  if (!isOver) return { status: 'authorized', amount, captured };
  if (captured === 0) return { status: 'reversed', amount, captured };
  return { status: 'captured', amount: captured, captured };
}

/** The payment of a capture is its authorisation. */
export function paymentOf(
  { transactions }: GatewayOrder,
  id: string | undefined,
): string | undefined {
  const target = transactions.find((transaction) => transaction.id === id);
  return target?.type === 'CAPTURE' ? target.targetTransactionId : id;
}
