/** The outcome that an event states in the three words of a return, for plugins that know no others. Contract 12.4. */
import type { ReturnStatus } from '../order-state/payment-return.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { PaymentStatus } from '../payments/notice.ts';

/** Refunds have some of the statuses of payments. A removed transaction is not in the enquiry any more. */
type AnnouncedStatus = PaymentStatus | OrderStatus | 'removed';

export function eventStatusOf(
  status: AnnouncedStatus,
  about: { readonly isPayment: boolean; readonly isOrderCompleted: boolean },
): ReturnStatus {
  // As in a return: the amount or the currency is wrong, and the shop must not deliver.
  if (status === 'succeeded' && about.isPayment && !about.isOrderCompleted) return 'pending';
  return outcomes[status];
}

const outcomes: Readonly<Record<AnnouncedStatus, ReturnStatus>> = {
  new: 'pending',
  pending: 'pending',
  authorized: 'pending',
  failed: 'failed',
  succeeded: 'success',
  reversing: 'pending',
  reversed: 'failed',
  completed: 'success',
  lapsed: 'failed',
  removed: 'pending',
};
