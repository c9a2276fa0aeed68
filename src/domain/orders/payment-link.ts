/** The status of a payment link, which follows from its order, and what may still be changed. Pure. Contract 19.2. */
import { ServiceError } from '../errors.ts';
import { type Order, orderStatus } from './order.ts';

export const linkStatuses = ['created', 'opened', 'paid', 'cancelled', 'expired'] as const;
type LinkStatus = (typeof linkStatuses)[number];

export type PaymentLink = {
  readonly linkId: string;
  /** When the checkout of its order was opened for the first time. */
  readonly openedAt: Date | null;
  readonly cancelledAt: Date | null;
};

/** A late payment of a cancelled link makes it paid. */
export function linkStatus(
  { openedAt, cancelledAt }: PaymentLink,
  order: Pick<Order, 'savedStatus' | 'lapsesAt' | 'attempts'>,
  now: Date,
): LinkStatus {
  const status = orderStatus(order, now);
  if (status === 'completed') return 'paid';
  if (cancelledAt !== null) return 'cancelled';
  if (status === 'lapsed') return 'expired';
  return openedAt !== null || order.attempts > 0 ? 'opened' : 'created';
}

/** A link may be changed while nobody has paid or tried to pay. */
export function refuseFixedLink(link: PaymentLink, order: Order, now: Date): void {
  const status = linkStatus(link, order, now);
  const isOver = status === 'paid' || status === 'cancelled' || status === 'expired';
  if (!isOver && order.attempts === 0) return;
  throw new ServiceError(
    'LINK_CANNOT_BE_UPDATED',
    `The payment link ${isOver ? `is ${status}` : 'has a payment that was started'}: create a new one with a new invoice_id.`,
  );
}
