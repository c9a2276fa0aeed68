/**
 * Cancels a payment link: its order lapses now, so that no payment can be started. A payment that was started before and
 * succeeds later still completes the order. Contract 19.2.
 */
import type { Actor } from '../../domain/audit.ts';
import { ServiceError } from '../../domain/errors.ts';
import { settle } from '../../domain/order-state/settle.ts';
import { ownLapseOf } from '../../domain/orders/order.ts';
import type { PaymentLink } from '../../domain/orders/payment-link.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import type { OrderKey, WholeOrder } from '../../store/order-rows.ts';
import { saveCheckoutLapse } from '../../store/orders/checkouts.ts';
import { lockOrder } from '../../store/orders/orders.ts';
import { findLink, saveLinkCancelled } from '../../store/orders/payment-links.ts';
import { loadOrderState, withSummary } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { saveChangedContent } from './change-order.ts';
import { getPaymentLink, type LinkNames, linkUrl } from './get-payment-link.ts';

type Needs = Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>;

/** With an actor, it is written to the audit log. */
export async function cancelPaymentLink(
  services: Needs,
  accountId: string,
  names: LinkNames,
  actor?: Actor,
) {
  const { order } = await getPaymentLink(services, accountId, names);
  return cancelLinkOfOrder(services, order, actor);
}

/** A link that is cancelled already stays as it is. */
export function cancelLinkOfOrder(
  services: Needs,
  { accountId, orderId }: OrderKey,
  actor?: Actor,
) {
  return services.database.transaction(async (tx) => {
    // Ends the race with payments, deliveries and other changes: each sees the result of the one before.
    const order = await lockOrder(tx, accountId, orderId);
    const link = order && (await findLink(tx, order));
    if (!link) throw new ServiceError('ORDER_NOT_FOUND', 'The order has no payment link.');
    const cancelled = await cancelLocked(tx, services, order, link);
    if (actor && cancelled.link !== link) {
      const entry = { accountId, action: 'link.cancelled', object: orderId } as const;
      await appendAudit(tx, actor, services.clock(), entry);
    }
    return { ...cancelled, url: linkUrl(services, link.linkId) };
  });
}

async function cancelLocked(
  tx: Transaction,
  services: Needs,
  order: WholeOrder,
  link: PaymentLink,
): Promise<{ readonly order: WholeOrder; readonly link: PaymentLink }> {
  if (order.savedStatus === 'completed') refusePaid();
  if (link.cancelledAt !== null) return { order, link };
  const now = services.clock();
  const lapsed = lapseNow(order, now);
  const before = await loadOrderState(tx, order);
  const after = settle({ ...before, order: lapsed }, now);
  // A payment that was captured in part counts as paid as soon as its order lapses. Contract 4.9.
  if (after.summary.status === 'completed') refusePaid();
  const change = { now, cause: 'cancel-link' };
  await saveOrderState(tx, services, before, after, change);
  if (lapsed !== order) {
    await saveChangedContent(tx, order, lapsed, change);
    await saveCheckoutLapse(tx, lapsed);
  }
  await saveLinkCancelled(tx, order, now);
  return { order: withSummary(lapsed, after), link: { ...link, cancelledAt: now } };
}

/** A payment that is held keeps the order open until the hold ends. Contract 16.2. */
function lapseNow(order: WholeOrder, now: Date): WholeOrder {
  if (ownLapseOf(order) < now) return order;
  return order.ownLapsesAt ? { ...order, ownLapsesAt: now } : { ...order, lapsesAt: now };
}

function refusePaid(): never {
  throw new ServiceError(
    'ORDER_COMPLETED',
    'The payment link is paid, so it cannot be cancelled: refund the payment instead.',
  );
}
