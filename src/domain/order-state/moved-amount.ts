/**
 * How much money a transaction has moved, in the currency of its order. Figures, lists, exports and the sums of refunds
 * all add it up, so that they agree.
 */
import type { MinorUnits } from '../money/money.ts';
import type { Transaction } from '../payments/transaction.ts';
import { refundAmount } from './tally.ts';

export function movedAmount(transaction: Transaction, orderCurrency: string): MinorUnits {
  if (transaction.type === 'refund') {
    // A refund without a currency is in the order's.
    const currency = transaction.currency ?? orderCurrency;
    return currency === orderCurrency ? refundAmount(transaction, 'succeeded') : 0;
  }
  const { status, currency, amount } = transaction;
  return status === 'succeeded' && currency === orderCurrency ? (amount ?? 0) : 0;
}
