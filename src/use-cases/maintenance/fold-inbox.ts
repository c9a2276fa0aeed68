/**
 * An order's transactions folded from nothing but what was started here and its deliveries in the inbox,
 * for those who compare them with what is stored and for those who repair it.
 */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { StartedTransaction } from '../../domain/transactions/matching.ts';
import {
  applyNotice,
  applyStart,
  type DeliveredNotice,
  lacksTarget,
  type OrderState,
} from '../../domain/transactions/order-state.ts';
import type { Transaction } from '../../domain/transactions/transaction.ts';
import { translateDelivery } from '../inbox/translate-delivery.ts';

export function foldInbox<Book extends OrderState>(
  orderState: Book,
  deliveries: readonly Delivery[],
): Book {
  const notices = deliveries.filter(isApplied).flatMap(noticesOf);
  const started = orderState.transactions.flatMap(startsOf);
  const begun = started.reduce<Book>((before, entry) => applyStart(before, entry), {
    ...orderState,
    transactions: [],
    held: [],
  });
  return foldAll(begun, notices);
}

/** One over the limit of transactions changed nothing when it came. Contract 4.14. */
function isApplied({ flags }: Delivery): boolean {
  return !flags.includes('too_many_transactions');
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

/** What waits for another notice is applied after it, as it was when they came. */
function foldAll<Book extends OrderState>(
  orderState: Book,
  notices: readonly DeliveredNotice[],
): Book {
  const waiting = notices.filter((notice) => lacksTarget(orderState, notice));
  const ready = notices.filter((notice) => !waiting.includes(notice));
  if (ready.length === 0) return orderState;
  return foldAll(
    ready.reduce<Book>((before, notice) => applyNotice(before, notice), orderState),
    waiting,
  );
}
