/**
 * Refunds payments that succeeded after their order had lapsed, for an account that wants it. The refund is saved together
 * with the success, so a crash loses neither, and sent by the worker that sends refunds again. Contract 19.3.
 */
import type { Account } from '../../domain/accounts/account.ts';
import { refundBalance } from '../../domain/order-state/refund-links.ts';
import type { RefundablePayment } from '../../domain/order-state/refund-request.ts';
import { type SettledOrderState, settle } from '../../domain/order-state/settle.ts';
import { canReach } from '../../services/provider-apis.ts';
import { startRefund } from './start-refund.ts';

/** A payment is kept if its refund could not be sent, or if nothing of it can be refunded. */
export function refundLatePayments(
  orderState: SettledOrderState,
  payments: readonly RefundablePayment[],
  account: Account,
  now: Date,
): SettledOrderState {
  const refunded = payments.reduce((before, payment) => {
    const { availableOf } = refundBalance(before.transactions, before.order.amounts.currency);
    const amount = availableOf(payment);
    if (amount === 0 || !canReach(account, payment.provider, now)) return before;
    const requestId = `late-${payment.transactionId}`;
    const refund = {
      payment,
      amount,
      requestId,
      call: 'unsent',
      isAll: true,
      isLate: true,
    } as const;
    return startRefund(before, refund, now).after;
  }, orderState);
  return settle(refunded, now);
}
