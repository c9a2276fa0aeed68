/** Calls steps of the inbox with plain deliveries and translates them first, as the service does on receipt. */
import type { Delivery } from '../../src/domain/inbox/delivery.ts';
import type { DeliveryCaller } from '../../src/domain/inbox/incoming.ts';
import type { Transaction } from '../../src/postgres/database.ts';
import * as orders from '../../src/use-cases/inbox/resolve-orders.ts';
import * as batch from '../../src/use-cases/inbox/store-batch.ts';
import { translateDelivery } from '../../src/use-cases/inbox/translate-delivery.ts';

export { newDelivery } from '../../src/use-cases/inbox/new-delivery.ts';

type Sent = { readonly delivery: Delivery; readonly caller: DeliveryCaller };

/** Stores only these deliveries in one transaction, as another process would. */
export function storeBatch(
  services: Parameters<typeof batch.storeBatch>[0],
  sent: readonly Sent[],
) {
  const translated = sent.map(({ delivery, caller }) => ({
    ...translateDelivery(delivery),
    caller,
  }));
  return batch.storeBatch(services, translated);
}

export function lockAndResolveOrders(tx: Transaction, deliveries: readonly Delivery[]) {
  return orders.lockAndResolveOrders(tx, deliveries.map(translateDelivery), false);
}
