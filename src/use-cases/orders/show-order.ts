/** Finds one order for an operator, by its id or invoice, with everything that belongs to it. */

import { settleTransactions } from '../../domain/order-state/settle.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import type { Services } from '../../services/services.ts';
import { listNewestOfOrder } from '../../store/inbox/delivery-lists.ts';
import { type HistoryEntry, listRecentHistory } from '../../store/orders/history.ts';
import { type DescribedDelivery, describeContents } from '../inbox/describe-contents.ts';
import { findOrder, type Refusal } from './find-order.ts';

export type ShownOrder = {
  readonly order: Order;
  readonly transactions: readonly Transaction[];
  /** The last ones, oldest first. */
  readonly deliveries: readonly DescribedDelivery[];
  readonly history: readonly HistoryEntry[];
};

/** How many deliveries, and how many rows of the history, are shown. */
export const shownMax = 200;

export async function showOrder(
  services: Pick<Services, 'database' | 'clock'>,
  name: string,
  accountId: string | undefined,
): Promise<ShownOrder | Refusal> {
  const { database, clock } = services;
  const found = await findOrder(database, name, accountId);
  if ('refusal' in found) return found;
  const { order } = found;
  const deliveries = await listNewestOfOrder(database, order.accountId, order.orderId, shownMax);
  return {
    order,
    transactions: settleTransactions(found, clock()),
    deliveries: await describeContents(database, deliveries.toReversed()),
    history: await listRecentHistory(database, order, shownMax),
  };
}
