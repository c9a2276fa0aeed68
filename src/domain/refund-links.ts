/** Which refunds belong to which payment, and what they come to. */
import { paymentsOf, refundsOf } from './matching.ts';
import type { Payment, Refund, Transaction } from './transaction.ts';

/** The payment a refund gives back; a bank gateway may name its order only. */
export function findPaymentOf(
  refund: Refund,
  transactions: readonly Transaction[],
): Payment | undefined {
  const payments = paymentsOf(transactions).filter(({ provider }) => provider === refund.provider);
  if (refund.paymentPspId !== null) {
    const { paymentPspId } = refund;
    return payments.find(
      ({ pspTransactionId, aliases }) =>
        pspTransactionId === paymentPspId || aliases.includes(paymentPspId),
    );
  }
  return payments
    .filter(({ pspTransactionId }) => pspTransactionId?.startsWith(`${refund.paymentPspOrder}|`))
    .sort(
      (a, b) =>
        Number(b.status === 'succeeded') - Number(a.status === 'succeeded') ||
        ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1),
    )[0];
}

/** By the provider's time, then id. Decision 5.3. */
export function findLatestRefundOf(
  payment: Payment,
  transactions: readonly Transaction[],
): Refund | undefined {
  return refundsOf(transactions)
    .filter((refund) => findPaymentOf(refund, transactions) === payment)
    .sort(
      (a, b) =>
        (b.startedAtMs ?? 0) - (a.startedAtMs ?? 0) ||
        ((b.pspTransactionId ?? '') < (a.pspTransactionId ?? '') ? -1 : 1),
    )[0];
}

/** A refund of all that was paid is a full one; with an unknown payment the order's total decides. */
export function refundTypeOf(
  refund: Refund,
  transactions: readonly Transaction[],
  orderTotal: number,
): 'full_refund' | 'partial_refund' {
  const paid = findPaymentOf(refund, transactions)?.amount ?? orderTotal;
  return refund.amount === paid ? 'full_refund' : 'partial_refund';
}
