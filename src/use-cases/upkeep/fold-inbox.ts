/**
 * Computes an order's transactions from scratch, from its starts and its deliveries in the inbox. Used to check and to
 * repair the stored transactions.
 */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { StartedTransaction } from '../../domain/order-state/matching.ts';
import {
  applyNotice,
  applyStart,
  lacksTarget,
  type OrderState,
} from '../../domain/order-state/order-state.ts';
import { listAnnounced } from '../../domain/order-state/relate.ts';
import type { DeliveredNotice } from '../../domain/payments/notice.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { translateDelivery } from '../inbox/translate-delivery.ts';

export function foldInbox<State extends OrderState>(
  orderState: State,
  deliveries: readonly Delivery[],
): State {
  // A delivery over the limit of transactions was stored but not applied. Contract 4.14.
  const applied = deliveries.filter(({ flags }) => !flags.includes('too_many_transactions'));
  const notices = applied.flatMap(noticesOf);
  const started = orderState.transactions.flatMap(startsOf);
  const withStarts = started.reduce<State>((before, entry) => applyStart(before, entry), {
    ...orderState,
    transactions: [],
    held: [],
    disputeNotices: [],
    announcedDuplicates: listAnnounced(orderState.transactions),
  });
  return foldAll(withStarts, notices);
}

function noticesOf(delivery: Delivery): DeliveredNotice[] {
  const { translation } = translateDelivery(delivery);
  if (translation.kind !== 'notice') return [];
  const { provider, deliveryKey, receivedAt } = delivery;
  return [{ ...translation.notice, provider, deliveryKey, receivedAt }];
}

function startsOf({ type, transactionId, provider, start }: Transaction): StartedTransaction[] {
  return start === null ? [] : [{ type, transactionId, provider, start }];
}

/**
 * A notice whose target does not exist yet is applied after the notice that creates the target. One that lost its target
 * to another void is applied last: it is held. A dispute of a payment that is not known is parked.
 */
function foldAll<State extends OrderState>(
  orderState: State,
  notices: readonly DeliveredNotice[],
): State {
  const withoutTarget = notices.filter((notice) => lacksTarget(orderState, notice));
  const ready = notices.filter((notice) => !withoutTarget.includes(notice));
  const next = ready.length > 0 ? ready : withoutTarget;
  const placeable = next.filter(({ dispute }) => !dispute || next === ready);
  const after = placeable.reduce<State>(applyNotice, orderState);
  return ready.length > 0 ? foldAll(after, withoutTarget) : after;
}
