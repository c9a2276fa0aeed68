/**
 * An order's transactions folded from nothing but what was started here and its deliveries in the inbox,
 * for those who compare them with what is stored and for those who repair it.
 */
import type { Started } from '../domain/matching.ts';
import {
  applyNotice,
  type DeliveredNotice,
  keepStart,
  lacksTarget,
  type OrderBook,
} from '../domain/order-book.ts';
import type { Transaction } from '../domain/transaction.ts';
import type { Delivery } from '../store/deliveries.ts';
import { translateDelivery } from './translate-delivery.ts';

export function foldInbox<Book extends OrderBook>(
  book: Book,
  deliveries: readonly Delivery[],
): Book {
  const notices = deliveries.filter(isApplied).flatMap(noticesOf);
  const started = book.transactions.flatMap(startsOf);
  const begun = started.reduce<Book>((before, entry) => keepStart(before, entry), {
    ...book,
    transactions: [],
    held: [],
  });
  return foldAll(begun, notices);
}

/** One over the limit of transactions changed nothing when it came. Decision 4.14. */
function isApplied({ flags }: Delivery): boolean {
  return !flags.includes('too_many_transactions');
}

function noticesOf(delivery: Delivery): DeliveredNotice[] {
  const translation = translateDelivery(delivery);
  if (translation.kind !== 'notice') return [];
  const { provider, deliveryKey, receivedAt } = delivery;
  return [{ ...translation.notice, provider, deliveryKey, receivedAt }];
}

function startsOf({ type, transactionId, provider, start }: Transaction): Started[] {
  return start === null ? [] : [{ type, transactionId, provider, start }];
}

/** What waits for another notice is applied after it, as it was when they came. */
function foldAll<Book extends OrderBook>(book: Book, notices: readonly DeliveredNotice[]): Book {
  const waiting = notices.filter((notice) => lacksTarget(book, notice));
  const ready = notices.filter((notice) => !waiting.includes(notice));
  if (ready.length === 0) return book;
  return foldAll(
    ready.reduce<Book>((before, notice) => applyNotice(before, notice), book),
    waiting,
  );
}
