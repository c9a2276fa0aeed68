/** Which refunds belong to which payment, and whether a refund is full or partial. */

import { netAmount, type Payment, type Refund, type Transaction } from '../payments/transaction.ts';
import { paymentsOf, refundsOf } from './matching.ts';

/** The links between all payments and refunds of an order. They are found once, because an order may have many. */
export type RefundLinks = {
  readonly findPaymentOf: (refund: Refund) => Payment | undefined;
  readonly listRefundsOf: (payment: Payment) => readonly Refund[];
};

export function linkRefunds(transactions: readonly Transaction[]): RefundLinks {
  const payments = paymentsOf(transactions);
  const byPspId = mapByPspId(payments);
  const byPspOrder = new Map<string, Payment | undefined>();
  const findByPspOrder = (refund: Refund) => {
    const key = keyOf(refund.provider, refund.paymentPspOrder);
    if (!byPspOrder.has(key)) byPspOrder.set(key, choosePaymentOfOrder(refund, payments));
    return byPspOrder.get(key);
  };
  // Some providers report only their own order.
  const findPaymentOf = (refund: Refund) =>
    refund.paymentPspId === null
      ? findByPspOrder(refund)
      : byPspId.get(keyOf(refund.provider, refund.paymentPspId));
  const refundsByPayment = Map.groupBy(refundsOf(transactions), findPaymentOf);
  return { findPaymentOf, listRefundsOf: (payment) => refundsByPayment.get(payment) ?? [] };
}

/** By the ids of the payments and of their captures. */
function mapByPspId(payments: readonly Payment[]): ReadonlyMap<string, Payment> {
  const byPspId = new Map<string, Payment>();
  for (const payment of payments) {
    const { provider, pspTransactionId, captures } = payment;
    for (const pspId of [pspTransactionId, ...(captures ?? []).map((capture) => capture.pspId)]) {
      const key = keyOf(provider, pspId);
      if (!byPspId.has(key)) byPspId.set(key, payment);
    }
  }
  return byPspId;
}

function keyOf(provider: string, pspId: string | null): string {
  return `${provider} ${pspId}`;
}

/** A refund that references only the order is applied only if exactly one payment did not fail. Contract 4.9. */
function choosePaymentOfOrder(
  { provider, paymentPspOrder }: Refund,
  payments: readonly Payment[],
): Payment | undefined {
  return payments
    .filter(
      (payment) =>
        payment.provider === provider &&
        payment.pspTransactionId?.startsWith(`${paymentPspOrder}|`),
    )
    .sort(
      (a, b) =>
        Number(a.status === 'failed') - Number(b.status === 'failed') ||
        ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1),
    )[0];
}

/** The latest by the provider's time, then by id. Contract 5.3. */
export function findLatestRefundOf(payment: Payment, links: RefundLinks): Refund | undefined {
  return links
    .listRefundsOf(payment)
    .toSorted(
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
  links: RefundLinks,
  orderTotal: number,
): 'full_refund' | 'partial_refund' {
  const payment = links.findPaymentOf(refund);
  const isKnown = payment !== undefined && payment.amount !== null;
  const whole = isKnown ? [payment.amount, netAmount(payment)] : [orderTotal];
  return refund.amount !== null && whole.includes(refund.amount) ? 'full_refund' : 'partial_refund';
}
