/** Decides what the checkout page of an order shows and offers. Pure. Contract 14.3. */
import type { OrderStatus } from '../orders/order.ts';
import { isReserved } from '../payments/hold.ts';
import { isFinal, type Payment, type Transaction } from '../payments/transaction.ts';
import { paymentsOf } from './matching.ts';
import { findCompleting } from './payment-return.ts';

/** Most banks answer sooner. */
export const slowPaymentSeconds = 15;

export type CheckoutStep =
  /** A payment may be started. `failed` is the payment before, if the consumer has to be told why it failed. */
  | { readonly kind: 'choose'; readonly failed: Payment | undefined }
  /** A payment is open, so no other is offered. `isSlow` after `slowPaymentSeconds`. */
  | { readonly kind: 'waiting'; readonly payment: Payment; readonly isSlow: boolean }
  /** `isHeld`: the amount is reserved, and the shop charges it later. Contract 16.2. */
  | { readonly kind: 'paid'; readonly payment: Payment; readonly isHeld: boolean }
  /** Money arrived that does not complete the order. The shop must look at it, and nobody should pay again. */
  | { readonly kind: 'checking'; readonly payment: Payment }
  /** The last payment failed in a way that another try cannot change. */
  | { readonly kind: 'failed'; readonly payment: Payment }
  /** The payment came after the order had lapsed, and the consumer gets it back. Contract 19.3. */
  | { readonly kind: 'too-late'; readonly payment: Payment }
  | { readonly kind: 'expired' };

export function decideCheckoutStep(
  transactions: readonly Transaction[],
  orderStatus: OrderStatus,
  now: Date,
): CheckoutStep {
  const payments = paymentsOf(transactions);
  const completing = orderStatus === 'completed' ? findCompleting(transactions) : undefined;
  if (completing) return { kind: 'paid', payment: completing, isHeld: false };
  const arrived = payments.filter(({ status }) => status === 'succeeded');
  const unclear = arrived.find(({ flags }) => !flags.includes('refunded_late_payment'));
  if (unclear) return { kind: 'checking', payment: unclear };
  const held = payments.find(isReserved);
  if (held) return { kind: 'paid', payment: held, isHeld: true };
  const open = findOpenPayment(payments);
  if (open) return { kind: 'waiting', payment: open, isSlow: isSlow(open, now) };
  const [tooLate] = arrived;
  if (tooLate) return { kind: 'too-late', payment: tooLate };
  if (orderStatus === 'lapsed' || orderStatus === 'completed') return { kind: 'expired' };
  const last = newestOf(payments);
  const failed = last && !isGivenUp(last) ? last : undefined;
  return failed?.failure && !failed.failure.retryAllowed
    ? { kind: 'failed', payment: failed }
    : { kind: 'choose', failed };
}

/** The newest payment whose result is not known, unless the consumer gave it up. */
export function findOpenPayment(transactions: readonly Transaction[]): Payment | undefined {
  return newestOf(
    paymentsOf(transactions).filter((payment) => !isFinal(payment.status) && !isGivenUp(payment)),
  );
}

/** An authorized or reversing payment does not depend on the consumer any more, however long it takes. */
function isSlow(payment: Payment, now: Date): boolean {
  const isPending = payment.status === 'new' || payment.status === 'pending';
  return isPending && now.getTime() - startOf(payment) > slowPaymentSeconds * 1000;
}

/**
 * The consumer came back without paying and chose another way to pay. The payment counts if it succeeds later, and it is
 * open again as soon as the provider reports an attempt.
 */
function isGivenUp({ status, start }: Payment): boolean {
  return start?.givenUpAtMs !== undefined && (status === 'new' || status === 'pending');
}

export function newestOf(payments: readonly Payment[]): Payment | undefined {
  return payments.reduce<Payment | undefined>(
    (newest, payment) => (newest && startOf(newest) > startOf(payment) ? newest : payment),
    undefined,
  );
}

const startOf = ({ startedAtMs, start }: Payment): number => start?.atMs ?? startedAtMs ?? 0;
