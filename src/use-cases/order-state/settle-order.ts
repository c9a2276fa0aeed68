/**
 * Stores what changes in an order by the passing of time alone, with its history row: the order lapses, a partial
 * capture becomes final, an authorisation is flagged because nobody captured it. Contract 4.3, 4.8 and 4.9.
 */

import { settle } from '../../domain/order-state/settle.ts';
import { addSeconds, type Clock } from '../../domain/time.ts';
import type { Database } from '../../postgres/database.ts';
import type { Announcer } from '../../services/announcer.ts';
import { lockOrderState } from './lock-order-state.ts';
import { saveOrderState } from './save-order-state.ts';

export type SettleNeeds = {
  readonly database: Database;
  readonly clock: Clock;
  readonly settings: { readonly pollSeconds: number };
  readonly announcer: Announcer;
};

export async function settleOrder(
  { database, clock, settings, announcer }: SettleNeeds,
  accountId: string,
  orderId: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const now = clock();
    const orderState = await lockOrderState(tx, accountId, orderId);
    const pollAt = addSeconds(now, settings.pollSeconds);
    const change = { now, pollAt, cause: 'time', announcer };
    await saveOrderState(tx, orderState, settle(orderState, now), change);
  });
}
