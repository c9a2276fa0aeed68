/** Refuses to start another transaction on an order that has as many as the limit allows. Contract 4.14. */
import { ServiceError } from '../../domain/errors.ts';
import type { OrderState } from '../../domain/order-state/order-state.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';

export function refuseFullOrder({ transactions }: Pick<OrderState, 'transactions'>): void {
  if (transactions.length < paymentLimits.transactionsMax) return;
  throw new ServiceError(
    'ORDER_CONFLICT',
    `The order has ${transactions.length} transactions, which is the most it can have: create another order.`,
  );
}
