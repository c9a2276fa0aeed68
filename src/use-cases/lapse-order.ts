/** Writes down that the time of an order is over, with its history row. Decision 4.3. */
import { listChanges } from '../domain/history.ts';
import { decideOrderState } from '../domain/order-book.ts';
import { appendHistory } from '../store/history.ts';
import { saveOrderStates } from '../store/orders.ts';
import { lockBook } from './books.ts';
import { orderStateOf } from './save-books.ts';
import type { Services } from './services.ts';

export async function lapseOrder(
  services: Services,
  accountId: string,
  orderId: string,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    const book = await lockBook(tx, accountId, orderId);
    const state = decideOrderState(book, now);
    const changes = listChanges(orderStateOf(book.order), state);
    if (changes.length === 0) return;
    await saveOrderStates(tx, [{ accountId, orderId, state }]);
    const entry = { transactionId: null, changes, cause: 'time', happenedAt: now };
    await appendHistory(tx, [{ order: book.order, entries: [entry] }]);
  });
}
