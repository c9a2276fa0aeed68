/**
 * What was paid, refunded and can still be refunded of an order. Enquiries, figures and refunds all use it, so that they
 * agree. Contract 4.6, 4.11, 4.15.
 */
import type { MinorUnits } from '../money/money.ts';
import { netAmount, type Payment, type Refund, type Transaction } from '../payments/transaction.ts';
import { refundsOf } from './matching.ts';
import { linkRefunds } from './refund-links.ts';
import { movedAmount, refundAmount } from './tally.ts';

export type RefundBalance = {
  /** In the currency of the order, without the consumers' fees. */
  readonly paid: MinorUnits;
  readonly refunded: MinorUnits;
  readonly pending: MinorUnits;
  readonly available: MinorUnits;
  /** What is available of one payment, in its own currency. */
  readonly availableOf: (payment: Payment) => MinorUnits;
};

export function refundBalance(
  transactions: readonly Transaction[],
  currency: string,
): RefundBalance {
  const links = linkRefunds(transactions);
  const leftOf = (payment: Payment) => {
    const known = sum(links.listRefundsOf(payment), openOrMade) + (payment.unknownRefunds ?? 0);
    return Math.max(0, netAmount(payment) - known);
  };
  const payments = transactions.filter(
    (entry): entry is Payment =>
      entry.type === 'payment' && entry.status === 'succeeded' && entry.currency === currency,
  );
  // A refund without a currency is in the order's.
  const refunds = refundsOf(transactions).filter(
    (refund) => (refund.currency ?? currency) === currency,
  );
  // Each payment has at least 0 left: what one returned in excess does not lower another.
  const left = sum(payments, leftOf);
  const ofNoPayment = refunds.filter((refund) => !links.findPaymentOf(refund));
  const available = Math.max(0, left - sum(ofNoPayment, openOrMade));
  return {
    paid: sum(payments, netAmount),
    refunded: sum(refunds, (refund) => movedAmount(refund, currency)),
    pending: sum(refunds, (refund) => refundAmount(refund, 'pending')),
    available,
    availableOf: (payment) =>
      payment.currency === currency ? Math.min(leftOf(payment), available) : leftOf(payment),
  };
}

function openOrMade(refund: Refund): MinorUnits {
  return refundAmount(refund, 'succeeded') + refundAmount(refund, 'pending');
}

function sum<Entry>(entries: readonly Entry[], amountOf: (entry: Entry) => MinorUnits): MinorUnits {
  return entries.reduce((total, entry) => total + amountOf(entry), 0);
}
