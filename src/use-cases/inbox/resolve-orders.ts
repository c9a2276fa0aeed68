/** Finds the orders that deliveries belong to, and locks them. */
import { isOrderId } from '../../domain/ids.ts';
import type { TranslatedDelivery } from '../../domain/inbox/incoming.ts';
import { findOrderNames } from '../../domain/inbox/translation.ts';
import { affectedBy, lowestIdTimeOf } from '../../domain/order-state/large-order.ts';
import { needsTarget } from '../../domain/payments/notice.ts';
import type { Queryable, Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import type { AccountPspKey } from '../../store/orders/large-orders.ts';
import {
  findReferencedOrders,
  type ProviderOrder,
  type ReferencedOrders,
} from '../../store/orders/order-matching.ts';
import {
  type LockedOrderState,
  lockOrderStates,
  orderKeyOf,
} from '../order-state/lock-order-state.ts';

/** The orders that each delivery names, by delivery id. */
type OrdersByDelivery = ReadonlyMap<string, ReferencedOrders>;

/** What one round trip found: orders that are locked already, and what the references name. */
export type EarlyOrders = {
  readonly orders: OrdersByDelivery;
  readonly orderStates: readonly LockedOrderState[];
};

const noOrders: ReferencedOrders = { orders: [], isProviderOrderKnown: false };

/**
 * Most deliveries contain our own order id, so their orders are locked in the same round trip that resolves the
 * references. References are resolved after the lock, so that they include what the previous holder committed.
 */
export async function lockAndResolveOrders(
  tx: Transaction,
  batch: readonly TranslatedDelivery[],
  isWhole: boolean,
): Promise<EarlyOrders> {
  const [orderStates, orders] = await inOrder([
    () =>
      lockOrderStates(tx, listNamedOrders(batch), {
        findAffected: () => listAffected(batch),
        isWhole,
      }),
    // Sends further statements only for references that are used when no others match.
    () => findOrders(tx, batch),
  ]);
  return { orders, orderStates };
}

/** What the batch can change, of those deliveries of which it is known beforehand. */
function listAffected(batch: readonly TranslatedDelivery[]) {
  const keys: AccountPspKey[] = [];
  const idTimes: string[] = [];
  for (const { delivery, translation } of batch) {
    const { accountId, provider, deliveryKey, receivedAt } = delivery;
    if (translation.kind !== 'notice') continue;
    const notice = { ...translation.notice, provider, deliveryKey, receivedAt };
    for (const key of affectedBy(notice) ?? []) keys.push({ ...key, accountId });
    idTimes.push(lowestIdTimeOf(notice));
  }
  const [lowestIdTime = ''] = idTimes.sort();
  return { keys, lowestIdTime };
}

/** None if a single delivery has no order id: all orders must be locked by one statement, in the order of their keys. */
function listNamedOrders(batch: readonly TranslatedDelivery[]): OrderKey[] {
  const named = new Map<string, OrderKey>();
  for (const { delivery, translation } of batch) {
    const names = findOrderNames(translation);
    if (!names) continue;
    const orderIds = names.references.orderIds.filter(isOrderId);
    if (orderIds.length === 0) return [];
    for (const orderId of orderIds) {
      const name = { accountId: delivery.accountId, orderId };
      named.set(orderKeyOf(name), name);
    }
  }
  return [...named.values()];
}

const nothingEarly: EarlyOrders = { orders: new Map(), orderStates: [] };

/**
 * Looks up only deliveries that `early` does not contain: stored deliveries that are tried again. Locks the orders that
 * are not locked yet. `providerOrders` are those that these deliveries tie to our orders for the first time.
 */
export async function resolveOrders(
  tx: Transaction,
  batch: readonly TranslatedDelivery[],
  { orders: known, orderStates }: EarlyOrders = nothingEarly,
) {
  const open = batch.filter(({ delivery }) => !known.has(delivery.deliveryId));
  const found = open.length === 0 ? known : new Map([...known, ...(await findOrders(tx, open))]);
  const { orders, providerOrders } = agreeOnProviderOrders(batch, found);
  const missing = listMissing(batch, orders, orderStates);
  if (missing.length === 0) return { orders, providerOrders, orderStates };
  // Two batches that hold locks already could wait for each other here. That is rare: it takes a delivery whose order
  // id does not exist and whose other references do. The limit of the lock wait ends it, and each delivery runs alone.
  const findAffected = () => listAffected(batch);
  const locked = await lockOrderStates(tx, missing, { findAffected });
  return { orders, providerOrders, orderStates: [...orderStates, ...locked] };
}

export async function findOrders(database: Queryable, batch: readonly TranslatedDelivery[]) {
  const orders = new Map<string, ReferencedOrders>();
  const open = batch.flatMap(({ delivery, translation }) => {
    const { accountId, provider, deliveryId, orderId } = delivery;
    const names = findOrderNames(translation);
    if (orderId === null) return names ? [{ deliveryId, accountId, provider, names }] : [];
    // A delivery that was applied once stays with its order, whatever its references name now.
    orders.set(deliveryId, { orders: [orderId], isProviderOrderKnown: true });
    return [];
  });
  const found = await findReferencedOrders(database, open);
  for (const [index, { deliveryId }] of open.entries())
    orders.set(deliveryId, found[index] ?? noOrders);
  return orders;
}

/**
 * The first delivery that names a provider's order ties it to ours; a later one that ties it to another order
 * conflicts. If another process ties it at the same time, the insert fails and the transaction runs again.
 */
function agreeOnProviderOrders(batch: readonly TranslatedDelivery[], found: OrdersByDelivery) {
  const orders = new Map(found);
  const tied = new Map<string, ProviderOrder>();
  for (const { delivery, translation } of batch) {
    if (translation.kind !== 'notice') continue;
    const { notice } = translation;
    const { providerOrderId } = notice.references;
    const own = found.get(delivery.deliveryId) ?? noOrders;
    const orderId = soleOf(own);
    if (own.isProviderOrderKnown || providerOrderId === undefined) continue;
    // A void or a dispute may be parked until its payment is known, and the payment names the same provider order.
    if (needsTarget(notice) || orderId === undefined) continue;
    const { accountId, provider, deliveryId } = delivery;
    const key = `${accountId}/${provider}/${providerOrderId}`;
    const first = tied.get(key);
    if (!first) tied.set(key, { accountId, provider, providerOrderId, orderId });
    else if (first.orderId !== orderId) {
      orders.set(deliveryId, { orders: [orderId, first.orderId], isProviderOrderKnown: true });
    }
  }
  return { orders, providerOrders: [...tied.values()] };
}

function listMissing(
  batch: readonly TranslatedDelivery[],
  orders: OrdersByDelivery,
  locked: readonly LockedOrderState[],
) {
  const lockedKeys = new Set(locked.map(({ order }) => orderKeyOf(order)));
  const missing = new Map<string, OrderKey>();
  for (const { delivery } of batch) {
    const orderId = soleOf(orders.get(delivery.deliveryId) ?? noOrders);
    if (orderId === undefined) continue;
    const name = { accountId: delivery.accountId, orderId };
    const key = orderKeyOf(name);
    if (!lockedKeys.has(key)) missing.set(key, name);
  }
  return [...missing.values()];
}

/** A delivery that names several orders changes none of them. */
function soleOf({ orders: [orderId, ...others] }: ReferencedOrders): string | undefined {
  return others.length > 0 ? undefined : orderId;
}
