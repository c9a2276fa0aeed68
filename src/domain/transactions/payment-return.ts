/** What a shop learns when its consumer comes back from a provider. Pure. Contract 11.10. */

import type { OrderStatus } from '../orders/order.ts';
import { paymentsOf } from './matching.ts';
import { isSettled } from './settled.ts';
import type { Payment, Transaction } from './transaction.ts';

export type ReturnStatus = 'success' | 'failed' | 'pending';

export type PaymentReturn = {
  readonly status: ReturnStatus;
  /** The payment that the status is about. */
  readonly payment: Payment;
  /** False while it is worth waiting for more; the status is then pending. */
  readonly isKnown: boolean;
};

export function decideReturn(
  payment: Payment,
  transactions: readonly Transaction[],
  orderStatus: OrderStatus,
  /** The browser says that it was paid. That is no proof, but a reason to wait for one. */
  saysPaid: boolean,
): PaymentReturn {
  if (orderStatus === 'completed') {
    const paid = payment.status === 'succeeded' ? payment : findCompleting(transactions);
    if (paid) return { status: 'success', payment: paid, isKnown: true };
  }
  switch (payment.status) {
    case 'succeeded':
      // Another amount than the order expects: the shop must not take the order for paid.
      return { status: 'pending', payment, isKnown: true };
    case 'failed':
      // The consumer may have tried again at the same checkout, and the news of that may be under way. A shop that
      // took it for failed would ask them to pay a second time.
      return saysPaid && !isSettled(payment)
        ? { status: 'pending', payment, isKnown: false }
        : { status: 'failed', payment, isKnown: true };
    case 'reversed':
      return { status: 'failed', payment, isKnown: true };
    case 'new':
    case 'pending':
    case 'authorized':
    case 'reversing':
      return { status: 'pending', payment, isKnown: false };
    default:
      return payment.status satisfies never;
  }
}

/** Of several successes, the others are flagged as duplicates. */
function findCompleting(transactions: readonly Transaction[]): Payment | undefined {
  return paymentsOf(transactions).find(
    ({ status, flags }) => status === 'succeeded' && !flags.includes('duplicate_capture'),
  );
}
