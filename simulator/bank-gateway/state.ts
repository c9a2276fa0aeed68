/** The stored data of the gateway: checkout sessions, and orders with their transactions. */

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
  /** The consumer's attempt only reserves the amount: the shop captures it later. */
  readonly isHeld: boolean;
};

/** Created by the first attempt on the payment page; before that the gateway has no order. */
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
  /** The consumer's bank has freed what it reserved; the gateway does not report it. */
  readonly isHoldOver?: boolean;
  readonly transactions: readonly GatewayTransaction[];
};

export type TransactionType =
  | 'AUTHENTICATION'
  | 'AUTHORIZATION'
  | 'CAPTURE'
  | 'CHARGEBACK'
  | 'PAYMENT'
  | 'REFUND'
  | 'VOID_AUTHORIZATION'
  | 'VOID_CAPTURE'
  | 'VOID_PAYMENT';

export type GatewayTransaction = {
  readonly id: string;
  readonly type: TransactionType;
  readonly result: 'SUCCESS' | 'FAILURE' | 'PENDING';
  readonly gatewayCode: string;
  readonly amount: number;
  readonly currency: string;
  readonly timeOfRecord: string;
  readonly timeOfLastUpdate: string;
  readonly reference?: string;
  /** The transaction that it captures, voids, refunds or charges back. */
  readonly targetTransactionId?: string;
  /** Older API versions do not report the target, although the gateway knows it. */
  readonly isTargetHidden?: boolean;
  /** The gateway reported it as failed before the bank approved it. */
  readonly wasFailed?: boolean;
  /** The request that created it, to distinguish a repeat from another use of its id. */
  readonly request?: string;
};

export type GatewayState = {
  readonly sessions: Map<string, GatewaySession>;
  /** By merchant and order id: two merchants may use the same id. */
  readonly orders: Map<string, GatewayOrder>;
};

export function createGatewayState(): GatewayState {
  return { sessions: new Map(), orders: new Map() };
}

export const orderKey = (merchantId: string, orderId: string): string => `${merchantId}/${orderId}`;

/** The sessions of one of our orders that nobody has paid. */
export function openSessionsOf({ sessions, orders }: GatewayState, ourOrderId: string): string[] {
  const isPaid = ({ merchantId, orderId }: GatewaySession) =>
    orders
      .get(orderKey(merchantId, orderId))
      ?.transactions.some(({ type, result }) => type !== 'AUTHENTICATION' && result === 'SUCCESS');
  return [...sessions.values()]
    .filter((session) => session.orderId.startsWith(`${ourOrderId}-`) && !isPaid(session))
    .map(({ id }) => id);
}

/** Adds a transaction, or replaces it with its newer state. */
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
