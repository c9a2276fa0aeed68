/** Which event announces a status. Contract 12.2. */
import type { EventType } from '../event-type.ts';
import type { OrderStatus } from '../orders/order.ts';
import type { PaymentStatus, RefundStatus } from '../payments/notice.ts';

/** Null: the shop caused it, or it is not a result yet. */
export const paymentEvents: Readonly<Record<PaymentStatus, EventType | null>> = {
  new: null,
  pending: null,
  authorized: 'payment_authorized',
  failed: 'payment_failed',
  succeeded: 'payment_success',
  reversing: 'payment_reversed',
  reversed: 'payment_reversed',
};

export const refundEvents: Readonly<Record<RefundStatus, EventType | null>> = {
  new: null,
  pending: 'refund_pending',
  failed: 'refund_failed',
  succeeded: 'refund_success',
};

export const orderEvents: Readonly<Record<OrderStatus, EventType | null>> = {
  new: null,
  pending: null,
  completed: 'order_completed',
  lapsed: 'order_lapsed',
};
