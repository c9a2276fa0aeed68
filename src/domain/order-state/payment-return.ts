/** Decides the payment result that a shop gets when its consumer returns from a provider. Pure. Contract 11.10. */
import type { OrderStatus } from '../orders/order.ts';
import { isReserved } from '../payments/hold.ts';
import { needsPolling } from '../payments/needs-polling.ts';
import type { Payment, Transaction } from '../payments/transaction.ts';
import { paymentsOf } from './matching.ts';

export type ReturnStatus = 'success' | 'failed' | 'pending';

type PaymentReturn = {
  readonly status: ReturnStatus;
  readonly payment: Payment;
  /** False while the result may still change soon; the status is then pending. */
  readonly isKnown: boolean;
};

export function decideReturn(
  payment: Payment,
  transactions: readonly Transaction[],
  orderStatus: OrderStatus,
  /** The browser claims that the payment succeeded. That is no proof, but a reason to wait for one. */
  saysPaid: boolean,
): PaymentReturn {
  if (orderStatus === 'completed') {
    const paid = payment.status === 'succeeded' ? payment : findCompleting(transactions);
    if (paid) return { status: 'success', payment: paid, isKnown: true };
  }
  switch (payment.status) {
    case 'succeeded':
      // The payment does not complete the order, because its amount is wrong: the shop must not deliver.
      return { status: 'pending', payment, isKnown: true };
    case 'failed':
      // The consumer may have tried again at the same checkout, and its webhook may be on the way. A shop that
      // treated the payment as failed would ask them to pay twice.
      return saysPaid && needsPolling(payment)
        ? { status: 'pending', payment, isKnown: false }
        : { status: 'failed', payment, isKnown: true };
    case 'reversed':
      return { status: 'failed', payment, isKnown: true };
    case 'authorized':
      return isReserved(payment)
        ? { status: 'success', payment, isKnown: true }
        : { status: 'pending', payment, isKnown: false };
    case 'new':
    case 'pending':
    case 'reversing':
      return { status: 'pending', payment, isKnown: false };
    default:
      return payment.status satisfies never;
  }
}

/** The successful payment that is not flagged as a duplicate. If that one was reversed, a duplicate pays for the order. */
export function findCompleting(transactions: readonly Transaction[]): Payment | undefined {
  const succeeded = paymentsOf(transactions).filter(({ status }) => status === 'succeeded');
  return succeeded.find(({ flags }) => !flags.includes('duplicate_capture')) ?? succeeded[0];
}
