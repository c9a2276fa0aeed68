/** What the gateway has in its books: checkout sessions, and orders with their transactions. */
import type { LedgerPayment, LedgerRefund } from '../world.ts';

export type GatewaySession = {
  readonly id: string;
  readonly merchantId: string;
  readonly orderId: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | undefined;
  readonly description: string | undefined;
  readonly notificationUrl: string | undefined;
  readonly returnUrl: string | undefined;
  readonly shopName: string | undefined;
  readonly apiVersion: string;
  readonly successIndicator: string;
};

/** Made by the first try on the payment page; before that the gateway knows of no order. */
export type GatewayOrder = Pick<
  GatewaySession,
  | 'merchantId'
  | 'amount'
  | 'currency'
  | 'reference'
  | 'description'
  | 'notificationUrl'
  | 'apiVersion'
> & {
  readonly id: string;
  readonly creationTime: string;
  readonly transactions: readonly GatewayTransaction[];
};

export type GatewayTransaction = {
  readonly id: string;
  readonly type: 'AUTHENTICATION' | 'PAYMENT' | 'REFUND';
  readonly result: 'SUCCESS' | 'FAILURE' | 'PENDING';
  readonly gatewayCode: string;
  readonly amount: number;
  readonly currency: string;
  readonly timeOfRecord: string;
  readonly timeOfLastUpdate: string;
  readonly reference?: string;
  readonly targetTransactionId?: string;
  /** The request that made it, to tell a repeat from another use of its id. */
  readonly request?: string;
};

export type GatewayBook = {
  readonly sessions: Map<string, GatewaySession>;
  /** By merchant and order id: two merchants may use the same id. */
  readonly orders: Map<string, GatewayOrder>;
};

export function openGatewayBook(): GatewayBook {
  return { sessions: new Map(), orders: new Map() };
}

export const orderKey = (merchantId: string, orderId: string): string => `${merchantId}/${orderId}`;

/** Puts a transaction in, or a newer state of it in its place. */
export function withTransaction(
  order: GatewayOrder,
  transaction: GatewayTransaction,
): GatewayOrder {
  const isKnown = order.transactions.some(({ id }) => id === transaction.id);
  const transactions = isKnown
    ? order.transactions.map((known) => (known.id === transaction.id ? transaction : known))
    : [...order.transactions, transaction];
  return { ...order, transactions };
}

/** What was captured, and what of it went back or is on its way back. */
export function totalsOf({ transactions }: GatewayOrder) {
  const sum = (type: string, ...results: readonly string[]) =>
    transactions
      .filter((transaction) => transaction.type === type && results.includes(transaction.result))
      .reduce((total, { amount }) => total + amount, 0);
  return {
    captured: sum('PAYMENT', 'SUCCESS'),
    refunded: sum('REFUND', 'SUCCESS'),
    refunding: sum('REFUND', 'SUCCESS', 'PENDING'),
  };
}

export const isPaid = (order: GatewayOrder | undefined): boolean =>
  order !== undefined && totalsOf(order).captured > 0;

const paymentStatuses = { SUCCESS: 'captured', FAILURE: 'failed', PENDING: 'created' } as const;
const refundStatuses = { SUCCESS: 'processed', FAILURE: 'failed', PENDING: 'pending' } as const;

export function gatewayPaymentsInLedger(book: GatewayBook): LedgerPayment[] {
  return [...book.orders.values()].flatMap((order) =>
    order.transactions.filter(isAttempt).map(({ id, amount, currency, result }) => ({
      provider: 'bank-gateway',
      id: `${order.id}|${id}`,
      reference: order.id,
      amount,
      currency,
      status: paymentStatuses[result],
    })),
  );
}

export function gatewayRefundsInLedger(book: GatewayBook): LedgerRefund[] {
  return [...book.orders.values()].flatMap((order) =>
    order.transactions
      .filter(({ type }) => type === 'REFUND')
      .map(({ id, amount, currency, result, targetTransactionId }) => ({
        provider: 'bank-gateway',
        id: `${order.id}|${id}`,
        paymentId: `${order.id}|${targetTransactionId}`,
        reference: id,
        amount,
        currency,
        status: refundStatuses[result],
      })),
  );
}

/** An authentication that failed is all there is of its attempt: no payment follows it. */
function isAttempt({ type, result }: GatewayTransaction): boolean {
  return type === 'PAYMENT' || (type === 'AUTHENTICATION' && result === 'FAILURE');
}
