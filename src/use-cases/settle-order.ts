/**
 * Writes down what time alone changes in an order, with its history row: that it lapsed, that a part of an
 * authorisation was captured for good, that an authorisation is not captured. Decisions 4.3, 4.8, 4.9.
 */
import { settle } from '../domain/settle.ts';
import { addSeconds } from '../domain/time.ts';
import { lockBook } from './books.ts';
import { saveBook } from './save-books.ts';
import type { Services } from './services.ts';

export async function settleOrder(
  services: Services,
  accountId: string,
  orderId: string,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    const book = await lockBook(tx, accountId, orderId);
    const askAt = addSeconds(now, services.settings.askSeconds);
    await saveBook(tx, book, settle(book, now), { now, askAt, cause: 'time' });
  });
}
