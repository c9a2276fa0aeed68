/** Saves a transaction of the gateway: in its order, as money that moved, in the log and in a notification. */
import type { Scenario } from '../scenario.ts';
import type { GatewayShop } from '../shops.ts';
import type { World } from '../world.ts';
import { paymentOf } from './ledger.ts';
import { gatewayNotification } from './notification.ts';
import {
  type GatewayOrder,
  type GatewayState,
  type GatewayTransaction,
  orderKey,
  type TransactionType,
  withTransaction,
} from './state.ts';

export type Saving = {
  readonly world: World;
  readonly state: GatewayState;
  readonly shop: GatewayShop;
  readonly scenario: Scenario;
};

/** Several of one moment are notified in their order. Returns the order with them. */
export function saveTransactions(
  { world, state, shop, scenario }: Saving,
  order: GatewayOrder,
  transactions: readonly GatewayTransaction[],
  isAfterFailure = false,
): GatewayOrder {
  let saved = order;
  const notifications = transactions.map((transaction) => {
    saved = withTransaction(saved, transaction);
    moveMoney(world, saved, transaction, isAfterFailure);
    const { id, type, result, gatewayCode } = transaction;
    world.log(`bank-gateway: ${type} ${order.id}|${id} ${result} ${gatewayCode}`);
    return gatewayNotification(world, shop, saved, transaction);
  });
  const key = orderKey(order.merchantId, order.id);
  state.orders.set(key, saved);
  world.webhooks.post(key, notifications, scenario);
  return saved;
}

/** Payments, captures and refunds move money, and so do voids of the first two. */
const kinds: Readonly<Partial<Record<TransactionType, 'captured' | 'returned' | 'refunded'>>> = {
  PAYMENT: 'captured',
  CAPTURE: 'captured',
  VOID_PAYMENT: 'returned',
  VOID_CAPTURE: 'returned',
  REFUND: 'refunded',
};

function moveMoney(
  world: World,
  order: GatewayOrder,
  transaction: GatewayTransaction,
  isAfterFailure: boolean,
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
