/** Which refunds belong to which payment, and whether a refund is full or partial. */
import { paymentsOf, refundsOf } from './matching.ts';
import { netAmount, type Payment, type Refund, type Transaction } from './transaction.ts';

/** The payment of a refund. Some providers report only their own order. */
export function findPaymentOf(
  refund: Refund,
  transactions: readonly Transaction[],
): Payment | undefined {
  const payments = paymentsOf(transactions).filter(({ provider }) => provider === refund.provider);
  if (refund.paymentPspId !== null) {
    const { paymentPspId } = refund;
    return payments.find(
      ({ pspTransactionId, captures }) =>
        pspTransactionId === paymentPspId || captures?.some(({ pspId }) => pspId === paymentPspId),
    );
  }
  // A refund that references only the order is applied only if exactly one payment did not fail. Contract 4.9.
  return payments
    .filter(({ pspTransactionId }) => pspTransactionId?.startsWith(`${refund.paymentPspOrder}|`))
    .sort(
      (a, b) =>
        Number(a.status === 'failed') - Number(b.status === 'failed') ||
        ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1),
    )[0];
}

/** The latest by the provider's time, then by id. Contract 5.3. */
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

/**
 * A full refund returns the whole payment, with or without the consumer's fee. If the payment is not known, the
 * amount is compared with the order's total.
 */
export function refundTypeOf(
  refund: Refund,
  transactions: readonly Transaction[],
  orderTotal: number,
): 'full_refund' | 'partial_refund' {
  const payment = findPaymentOf(refund, transactions);
  const isKnown = payment !== undefined && payment.amount !== null;
  const whole = isKnown ? [payment.amount, netAmount(payment)] : [orderTotal];
  return refund.amount !== null && whole.includes(refund.amount) ? 'full_refund' : 'partial_refund';
}
