/**
 * Stores what changes in an order by the passing of time alone, with its history row: the order lapses, a partial
 * capture becomes final, an authorisation is flagged because nobody captured it. Contract 4.3, 4.8 and 4.9.
 */
import { addSeconds, type Clock } from '../../domain/time.ts';
import { settle } from '../../domain/transactions/settle.ts';
import type { Database } from '../../postgres/database.ts';
import { lockOrderState } from './lock-order-state.ts';
import { saveOrderState } from './save-order-state.ts';

export type SettleNeeds = {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: { readonly pollSeconds: number };
};

export async function settleOrder(
  { database, clock, settings }: SettleNeeds,
  accountId: string,
  orderId: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const now = clock();
    const orderState = await lockOrderState(tx, accountId, orderId);
    const pollAt = addSeconds(now, settings.pollSeconds);
    await saveOrderState(tx, orderState, settle(orderState, now), { now, pollAt, cause: 'time' });
  });
}
