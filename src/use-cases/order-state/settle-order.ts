/**
 * Stores what changes in an order by the passing of time alone, with its history row: the order lapses, a partial
 * capture becomes final, an authorisation is flagged because nobody captured it. Contract 4.3, 4.8 and 4.9.
 */

import { settle } from '../../domain/order-state/settle.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Services } from '../../services/services.ts';
import { lockOrderState } from './lock-order-state.ts';
import { saveOrderState } from './save-order-state.ts';

export async function settleOrder(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  accountId: string,
  orderId: string,
): Promise<void> {
  const { database, clock, settings, announcer } = services;
  await database.transaction(async (tx) => {
    const now = clock();
    const orderState = await lockOrderState(tx, accountId, orderId);
    const pollAt = addSeconds(now, settings.pollSeconds);
    const change = { now, pollAt, cause: 'time', announcer };
    await saveOrderState(tx, orderState, settle(orderState, now), change);
  });
}
