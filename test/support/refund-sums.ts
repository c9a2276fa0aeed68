/** The sums of an order's refunds as plain values, which can be compared. */
import { refundBalance } from '../../src/domain/order-state/refund-links.ts';
import type { Transaction } from '../../src/domain/payments/transaction.ts';

export function refundSums(transactions: readonly Transaction[], currency: string) {
  const { paid, refunded, pending } = refundBalance(transactions, currency);
  return { paid, refunded, pending };
}
