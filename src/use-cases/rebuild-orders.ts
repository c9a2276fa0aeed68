/** Folds every order from the inbox, a page at a time. */
import { listDeliveryIds } from '../store/deliveries.ts';
import { listOrdersAfter } from '../store/orders.ts';
import { type Rebuilt, rebuildOrder } from './rebuild-order.ts';
import { retryDelivery } from './retry-delivery.ts';
import type { Services } from './services.ts';

const pageSize = 200;

/** Deliveries that meant nothing by earlier rules are applied first: they may mean something now. */
export async function rebuildAll(services: Services) {
  const { database } = services;
  for (const { accountId, deliveryId } of await listDeliveryIds(database, 'ignored')) {
    await retryDelivery(services, accountId, deliveryId, 'asked');
  }
  const counts: Record<Rebuilt, number> = { same: 0, rebuilt: 0, pruned: 0 };
  const rebuilt: string[] = [];
  for (let page = await listOrdersAfter(database, undefined, pageSize); page.length > 0; ) {
    for (const { accountId, orderId } of page) {
      const outcome = await rebuildOrder(services, accountId, orderId);
      counts[outcome] += 1;
      if (outcome === 'rebuilt') rebuilt.push(orderId);
    }
    page = await listOrdersAfter(database, page.at(-1), pageSize);
  }
  return { rebuilt, unchanged: counts.same, not_rebuilt_body_pruned: counts.pruned };
}
