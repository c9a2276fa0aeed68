/** Locks the orders of a batch and folds its deliveries into them. */
import type { TranslatedDelivery } from '../../domain/inbox/incoming.ts';
import type { Transaction } from '../../postgres/database.ts';
import { type LockedOrderState, loadOrderStates } from '../order-state/lock-order-state.ts';
import { type Folded, foldDeliveries } from './fold-deliveries.ts';
import { type EarlyOrders, lockResolvedOrders, type ResolvedOrders } from './resolve-orders.ts';

export async function lockAndFold(
  tx: Transaction,
  batch: readonly TranslatedDelivery[],
  resolved: ResolvedOrders,
  { now, early }: { readonly now: Date; readonly early?: EarlyOrders },
): Promise<Folded> {
  let orderStates = await lockResolvedOrders(tx, batch, resolved, early);
  // Rare: each round loads one more large order whole.
  for (;;) {
    const folded = await foldDeliveries(batch, resolved.orders, orderStates, now);
    if (!('notLoaded' in folded)) return folded;
    orderStates = await loadWhole(tx, orderStates, folded.notLoaded);
  }
}

async function loadWhole(
  tx: Transaction,
  orderStates: readonly LockedOrderState[],
  part: LockedOrderState,
): Promise<readonly LockedOrderState[]> {
  const [whole] = await loadOrderStates(tx, [part.order]);
  return orderStates.map((entry) => (entry === part && whole ? whole : entry));
}
