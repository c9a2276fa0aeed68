/**
 * Writes down what time alone changes in an order, with its history row: that it lapsed, that a part of an
 * authorisation was captured for good, that an authorisation is not captured. Contract 4.3, 4.8, 4.9.
 */

import { addSeconds } from '../../domain/time.ts';
import { settle } from '../../domain/transactions/settle.ts';
import type { Services } from '../../services/services.ts';
import { lockOrderState } from './lock-order-state.ts';
import { saveOrderState } from './save-order-state.ts';

export async function settleOrder(
  services: Services,
  accountId: string,
  orderId: string,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    const orderState = await lockOrderState(tx, accountId, orderId);
    const pollAt = addSeconds(now, services.settings.pollSeconds);
    await saveOrderState(tx, orderState, settle(orderState, now), { now, pollAt, cause: 'time' });
  });
}
