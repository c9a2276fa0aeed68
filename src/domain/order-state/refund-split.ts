/**
 * Splits a refund over the captures of a payment, because some providers refund one capture at a time. The amount is
 * taken from captures that are not fully refunded, oldest first. Contract 4.12.
 */
import type { MinorUnits } from '../money/money.ts';
import type { Capture, Payment, Refund, Transaction } from '../payments/transaction.ts';
import { linkRefunds } from './refund-links.ts';

type RefundShare = {
  /** The capture, or the payment if it has no captures. */
  readonly paymentPspId: string;
  readonly amount: MinorUnits;
};

export function splitRefund(
  transactions: readonly Transaction[],
  payment: Payment & { readonly pspTransactionId: string },
  amount: MinorUnits,
): readonly RefundShare[] {
  const captures = (payment.captures ?? []).filter((capture) => capture.amount > 0);
  const remaining = remainingOf(captures, linkRefunds(transactions).listRefundsOf(payment));
  const shares: RefundShare[] = [];
  let open = amount;
  for (const { pspId } of captures) {
    const share = Math.min(open, remaining.get(pspId) ?? 0);
    if (share > 0) shares.push({ paymentPspId: pspId, amount: share });
    open -= share;
  }
  if (open === 0) return shares;
  // Without captures, or if the known ones do not cover the amount, it is one refund.
  return [{ paymentPspId: captures[0]?.pspId ?? payment.pspTransactionId, amount }];
}

/** The unrefunded amount of each capture. Refunds that reference only the payment are subtracted last, oldest first. */
function remainingOf(
  captures: readonly Capture[],
  refunds: readonly Refund[],
): ReadonlyMap<string, MinorUnits> {
  const remaining = new Map(captures.map(({ pspId, amount }) => [pspId, amount]));
  let unassigned = 0;
  for (const { pspId, amount } of refunds.flatMap(sharesOf)) {
    const before = pspId === null ? undefined : remaining.get(pspId);
    const taken = Math.min(amount, before ?? 0);
    if (pspId !== null && before !== undefined) remaining.set(pspId, before - taken);
    unassigned += amount - taken;
  }
  for (const { pspId } of captures) {
    const before = remaining.get(pspId) ?? 0;
    const taken = Math.min(unassigned, before);
    remaining.set(pspId, before - taken);
    unassigned -= taken;
  }
  return remaining;
}

/** The amounts of a refund that did not fail, each with its capture. */
function sharesOf({ parts, status, amount, paymentPspId }: Refund) {
  const shares = parts
    ? parts.map((part) => ({ ...part, pspId: part.capturePspId }))
    : [{ status, amount: amount ?? 0, pspId: paymentPspId }];
  return shares.filter((share) => share.status !== 'failed');
}
