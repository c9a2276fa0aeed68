/** Which orders deliveries are about, found out and locked before they are applied. */

import { isOrderId } from '../../domain/ids.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { isVoid, type Notice, type OrderReferences } from '../../domain/transactions/notice.ts';
import type { Transaction } from '../../postgres/database.ts';

import {
  findReferencedOrders,
  type ProviderOrder,
  type ReferencedOrders,
} from '../../store/order-matching.ts';
import {
  type LockedOrderState,
  lockOrderStates,
  nameOf,
  type OrderName,
} from '../order-state/lock-order-state.ts';
import { translateDelivery } from './translate-delivery.ts';

export type Readable = { readonly delivery: Delivery; readonly notice: Notice };

/** The orders that each delivery names. */
export type ResolvedOrders = ReadonlyMap<Delivery, ReferencedOrders>;

/** What deliveries are about: the orders that each names, and order states of orders that are locked already. */
export type Ground = {
  readonly resolved: ResolvedOrders;
  readonly orderStates: readonly LockedOrderState[];
};

/**
 * Most deliveries tell our own name of their order, and need not wait to hear which it is before it is locked. What
 * the references name is asked for after that, and so is what nobody else changes any more.
 */
export async function lockAndResolveOrders(
  tx: Transaction,
  deliveries: readonly Delivery[],
): Promise<Ground> {
  const [orderStates, resolved] = await Promise.all([
    lockOrderStates(tx, listLikelyOrders(deliveries)),
    resolveOrders(tx, deliveries),
  ]);
  return { resolved, orderStates };
}

/** None where one of them does not tell: all are to be locked at once, in the order of their keys. */
function listLikelyOrders(deliveries: readonly Delivery[]): OrderName[] {
  const likely = new Map<string, OrderName>();
  for (const delivery of deliveries) {
    const names = findNames(delivery);
    if (!names) continue;
    const orderIds = names.references.orderIds.filter(isOrderId);
    if (orderIds.length === 0) return [];
    for (const orderId of orderIds) {
      const name = { accountId: delivery.accountId, orderId };
      likely.set(nameOf(name), name);
    }
  }
  return [...likely.values()];
}

/** What was applied once stays with its order, whatever its references name by now. */
export async function resolveOrders(
  tx: Transaction,
  deliveries: readonly Delivery[],
  known: ResolvedOrders = new Map(),
): Promise<ResolvedOrders> {
  const resolved = new Map<Delivery, ReferencedOrders>();
  const open: Array<{ readonly delivery: Delivery; readonly names: OrderReferences }> = [];
  for (const delivery of deliveries) {
    const before = known.get(delivery);
    if (before) {
      resolved.set(delivery, before);
      continue;
    }
    const names = findNames(delivery);
    if (delivery.orderId !== null) {
      resolved.set(delivery, { orders: [delivery.orderId], isProviderOrderKnown: true });
    } else if (names) open.push({ delivery, names });
  }
  const found = await findReferencedOrders(
    tx,
    open.map(({ delivery: { accountId, provider }, names }) => ({ accountId, provider, names })),
  );
  for (const [index, { delivery }] of open.entries())
    resolved.set(delivery, found[index] ?? nowhere);
  return resolved;
}

function findNames(delivery: Delivery): OrderReferences | undefined {
  const translation = translateDelivery(delivery);
  if (translation.kind === 'notice') return translation.notice;
  return translation.kind === 'report' ? translation.names : undefined;
}

const nowhere: ReferencedOrders = { orders: [], isProviderOrderKnown: false };

/**
 * The first delivery that names a provider's order ties it to ours; one that names another disagrees. Should somebody
 * have tied it meanwhile, writing that down fails, and all is done again.
 */
export function agreeOnProviderOrders(
  readable: readonly Readable[],
  found: ResolvedOrders,
): { readonly resolved: ResolvedOrders; readonly learned: readonly ProviderOrder[] } {
  const resolved = new Map(found);
  const learned = new Map<string, ProviderOrder>();
  for (const { delivery, notice } of readable) {
    const { orders, isProviderOrderKnown } = found.get(delivery) ?? nowhere;
    const [orderId, ...others] = orders;
    const { providerOrderId } = notice.references;
    if (isProviderOrderKnown || providerOrderId === undefined) continue;
    // A void may have to wait for its payment, and teaches nothing that the payment does not.
    if (isVoid(notice)) continue;
    if (orderId === undefined || others.length > 0) continue;
    const { accountId, provider } = delivery;
    const name = `${accountId}/${provider}/${providerOrderId}`;
    const first = learned.get(name);
    if (!first) learned.set(name, { accountId, provider, providerOrderId, orderId });
    else if (first.orderId !== orderId) {
      resolved.set(delivery, { orders: [orderId, first.orderId], isProviderOrderKnown: true });
    }
  }
  return { resolved, learned: [...learned.values()] };
}
