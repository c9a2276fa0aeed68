/**
 * Applies the deliveries of a batch, one after the other, to the locked states of their orders. Computes what changes
 * and what becomes of each delivery; nothing is read or written.
 */

import { createScrub } from '../../domain/consumers/scrub.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { listNames, listNewNames, listTargetNames } from '../../domain/inbox/delivery-names.ts';
import type { TranslatedDelivery } from '../../domain/inbox/incoming.ts';
import {
  type DeliveryOutcome,
  findExceededLimit,
  finish,
  park,
  rejectTooMany,
  reportConflict,
} from '../../domain/inbox/outcome.ts';
import { withReusedEventFlag } from '../../domain/inbox/repeats.ts';
import type { Report } from '../../domain/inbox/translation.ts';
import { flagsOfHeld } from '../../domain/order-state/group.ts';
import { isLoadedFor, losesCounted, mayLackRefunds } from '../../domain/order-state/large-order.ts';
import { applyNotice, lacksTarget } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { Notice } from '../../domain/payments/notice.ts';
import { withFlags } from '../../domain/payments/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import { getProvider } from '../../providers/providers.ts';
import { createPauses } from '../../services/event-loop.ts';
import type { ReferencedOrders } from '../../store/orders/order-matching.ts';
import {
  advance,
  describeChange,
  type OrderProgress,
  startProgress,
} from '../order-state/describe-change.ts';
import {
  type LockedOrderState,
  loadOrderStates,
  orderKeyOf,
} from '../order-state/lock-order-state.ts';
import type { ChangedOrderState } from '../order-state/order-changes.ts';
import { type EarlyOrders, lockResolvedOrders, type ResolvedOrders } from './resolve-orders.ts';
import { translateDelivery } from './translate-delivery.ts';

export type FoldedDelivery = DeliveryOutcome & {
  /** The body to store instead, because the order is erased. */
  readonly erasedBody?: Buffer;
};

type Folded = {
  /** In the order of the batch. */
  readonly deliveries: readonly FoldedDelivery[];
  /** Orders that changed. */
  readonly orders: readonly ChangedOrderState[];
};

/** A large order was loaded in part and must be loaded whole: a delivery can change more of it. */
type NotLoaded = { readonly notLoaded: LockedOrderState };

/** Pauses between deliveries, so that a large batch does not block other requests. */
async function foldDeliveries(
  batch: readonly TranslatedDelivery[],
  ordersByDelivery: ReadonlyMap<string, ReferencedOrders>,
  orderStates: readonly LockedOrderState[],
  now: Date,
): Promise<Folded | NotLoaded> {
  const progress: Progress = new Map(
    orderStates.map((before) => [orderKeyOf(before.order), startProgress(before)]),
  );
  const pauseIfLong = createPauses();
  const deliveries: FoldedDelivery[] = [];
  for (const entry of batch) {
    const { delivery } = entry;
    const named = ordersByDelivery.get(delivery.deliveryId)?.orders ?? [];
    const erased = namesErasedOrder(delivery, named, progress)
      ? eraseDelivery(delivery)
      : undefined;
    const outcome = foldDelivery(erased ? translateDelivery(erased) : entry, named, progress, now);
    if ('notLoaded' in outcome) return outcome;
    const result = withReusedEventFlag(delivery, outcome.result);
    deliveries.push({ ...outcome, result, ...(erased?.body && { erasedBody: erased.body }) });
    const pause = pauseIfLong();
    if (pause) await pause;
  }
  const changed = [...progress.values()].filter(
    ({ before, after }) => after.transactions !== before.transactions,
  );
  return { deliveries, orders: changed };
}

/** Each order as it was locked, as it is after the deliveries so far, and the history of what they changed. */
type Progress = ReadonlyMap<string, OrderProgress>;

/** Erased personal data must not come back with a later delivery. Contract 8.7. */
function namesErasedOrder(
  { accountId }: Delivery,
  orders: readonly string[],
  progress: Progress,
): boolean {
  return orders.some(
    (orderId) => progress.get(orderKeyOf({ accountId, orderId }))?.before.order.isErased ?? false,
  );
}

function foldDelivery(
  { delivery, translation }: TranslatedDelivery,
  orders: readonly string[],
  progress: Progress,
  now: Date,
): DeliveryOutcome | NotLoaded {
  switch (translation.kind) {
    case 'unreadable':
      return finish(delivery, now, { state: 'ignored', why: translation.why });
    case 'ignored': {
      const { why, flags = [] } = translation;
      return finish(delivery, now, { state: 'ignored', why, flags });
    }
    case 'report':
      return foldReport(delivery, translation, orders, now);
    case 'notice':
      return foldNotice(delivery, translation.notice, orders, progress, now);
    default:
      return translation satisfies never;
  }
}

/** Linked to its order, without any other change. Contract 6.9. */
function foldReport(
  delivery: Delivery,
  report: Report,
  orders: readonly string[],
  now: Date,
): DeliveryOutcome {
  const { names, state, why, flags } = report;
  const [orderId] = orders;
  if (orderId === undefined) return park(delivery, listNames(names), now);
  if (orders.length > 1) return reportConflict(delivery, orders, now, report);
  return finish(delivery, now, { state, why, flags, orderId });
}

function foldNotice(
  delivery: Delivery,
  notice: Notice,
  orders: readonly string[],
  progress: Progress,
  now: Date,
): DeliveryOutcome | NotLoaded {
  const [orderId] = orders;
  if (orderId === undefined) return park(delivery, listNames(notice), now);
  if (orders.length > 1) return reportConflict(delivery, orders, now);
  const order = progress.get(orderKeyOf({ accountId: delivery.accountId, orderId }));
  if (!order) throw new Error(`order ${orderId} was found and does not exist any more`);

  const { provider, deliveryKey, deliveryId, receivedAt } = delivery;
  const delivered = { ...notice, provider, deliveryKey, receivedAt };
  const before = order.after;
  if (!isLoadedFor(before, delivered)) return { notLoaded: order.before };
  if (lacksTarget(before, delivered)) return park(delivery, listTargetNames(notice), now);
  const after = settle(applyNotice(before, delivered), now);
  if (losesCounted(before, after) || mayLackRefunds(after)) return { notLoaded: order.before };
  const exceeded = findExceededLimit(before, after);
  if (exceeded) return rejectTooMany(delivery, orderId, exceeded, now);
  const { entries, newFlags } = describeChange(before, after, { cause: deliveryId, now });
  advance(order, after, entries);
  // A held notice needs a person even if an earlier one has flagged the order already.
  const flags = withFlags(newFlags, flagsOfHeld(after.held, deliveryKey));
  return finish(delivery, now, {
    state: flags.length > 0 ? 'needs_review' : entries.length > 0 ? 'processed' : 'stale',
    why: flags.length > 0 ? `flagged ${flags.join(', ')}` : null,
    flags,
    orderId,
    names: listNewNames(notice),
  });
}

/**
 * Removes the consumer's personal data from a delivery whose order is already erased. Contract 8.7. The order's own
 * data is gone, so only values that the delivery itself contains can be found and removed.
 */
function eraseDelivery(delivery: Delivery): Delivery {
  const { body, provider } = delivery;
  if (!body) return delivery;
  const { listPersonalValues, eraseBody } = getProvider(provider).erasing;
  return { ...delivery, body: eraseBody(body, createScrub(listPersonalValues(body))) };
}

/** Locks the orders of a batch and folds its deliveries into them. */
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
