/** Refuses a payment or refund that an order must not have besides those that it has. */
import { ServiceError } from '../../domain/errors.ts';
import { findOpenPayment } from '../../domain/order-state/checkout-step.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import type { OrderState } from '../../domain/order-state/order-state.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import { isFinal } from '../../domain/payments/transaction.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';

/** Each payment creates an order at the provider, so an order token must not be able to start any number of them. */
export function refuseTooMany(orderState: LockedOrderState): void {
  const { transactions } = orderState;
  refuseFullOrder(orderState);
  const open = paymentsOf(transactions).filter(({ status }) => !isFinal(status));
  if (open.length < paymentLimits.openPaymentsMax) return;
  throw new ServiceError(
    'ORDER_CONFLICT',
    `The order has ${open.length} payments that are not final: wait for their outcome before starting another.`,
  );
}

/** Two tabs, a reload or the back button must not start a second payment. */
export function refuseOtherPayment(
  { transactions }: LockedOrderState,
  { attempt }: { readonly attempt: number },
): void {
  const isOutdated = paymentsOf(transactions).length !== attempt;
  if (isOutdated || findOpenPayment(transactions)) throw new ServiceError('ORDER_CONFLICT');
}

/** Refuses to start another transaction on an order that has as many as the limit allows. Contract 4.14. */
export function refuseFullOrder({ transactions }: Pick<OrderState, 'transactions'>): void {
  if (transactions.length < paymentLimits.transactionsMax) return;
  throw new ServiceError(
    'ORDER_CONFLICT',
    `The order has ${transactions.length} transactions, which is the most it can have: create another order.`,
  );
}
