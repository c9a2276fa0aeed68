/**
 * Over which captures of a payment a refund is split. A provider may refund one capture at a time, so the
 * amount is taken from those that have something left, oldest first. Contract 4.12.
 */

import type { MinorUnits } from '../money/money.ts';
import { refundsOf } from './matching.ts';
import { findPaymentOf } from './refund-links.ts';
import type { Capture, Payment, Refund, Transaction } from './transaction.ts';

export type RefundShare = {
  /** The capture, or the payment where it has none. */
  readonly paymentPspId: string;
  readonly amount: MinorUnits;
};

export function splitRefund(
  transactions: readonly Transaction[],
  payment: Payment & { readonly pspTransactionId: string },
  amount: MinorUnits,
): readonly RefundShare[] {
  const standing = (payment.captures ?? []).filter((capture) => capture.amount > 0);
  const left = leftOf(standing, refundsOfPayment(payment, transactions));
  const shares: RefundShare[] = [];
  let open = amount;
  for (const { pspId } of standing) {
    const share = Math.min(open, left.get(pspId) ?? 0);
    if (share > 0) shares.push({ paymentPspId: pspId, amount: share });
    open -= share;
  }
  if (open === 0) return shares;
  // Without captures, or where they are not known to cover it, the payment itself is refunded.
  return [{ paymentPspId: standing[0]?.pspId ?? payment.pspTransactionId, amount }];
}

function refundsOfPayment(payment: Payment, transactions: readonly Transaction[]): Refund[] {
  return refundsOf(transactions).filter(
    (refund) => findPaymentOf(refund, transactions) === payment,
  );
}

/** What each capture has left: refunds that name it come first, those that name only the payment after. */
function leftOf(
  captures: readonly Capture[],
  refunds: readonly Refund[],
): ReadonlyMap<string, MinorUnits> {
  const left = new Map(captures.map(({ pspId, amount }) => [pspId, amount]));
  let unnamed = 0;
  for (const { pspId, amount } of refunds.flatMap(sharesOf)) {
    const before = pspId === null ? undefined : left.get(pspId);
    const taken = Math.min(amount, before ?? 0);
    if (pspId !== null && before !== undefined) left.set(pspId, before - taken);
    unnamed += amount - taken;
  }
  for (const { pspId } of captures) {
    const before = left.get(pspId) ?? 0;
    const taken = Math.min(unnamed, before);
    left.set(pspId, before - taken);
    unnamed -= taken;
  }
  return left;
}

/** What a refund takes or will take, and of which capture. */
function sharesOf({ parts, status, amount, paymentPspId }: Refund) {
  const shares = parts
    ? parts.map((part) => ({ ...part, pspId: part.capturePspId }))
    : [{ status, amount: amount ?? 0, pspId: paymentPspId }];
  return shares.filter((share) => share.status !== 'failed');
}
