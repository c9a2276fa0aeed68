/**
 * Applies deliveries inside the caller's transaction, together: translate, find the orders, lock them, keep
 * the notices, fold, save. The same for fresh deliveries, repeats, the worker and a replay; what becomes of
 * the deliveries themselves is told to the caller, who writes it down.
 */

import type { Delivery, DeliveryResult } from '../../domain/inbox/delivery.ts';
import { nextTryOf } from '../../domain/inbox/retry-schedule.ts';
import { limits } from '../../domain/limits.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import { addSeconds } from '../../domain/time.ts';
import { flagsOfHeld } from '../../domain/transactions/held.ts';
import { applyNotice, lacksTarget } from '../../domain/transactions/order-state.ts';
import { type SettledOrderState, settle } from '../../domain/transactions/settle.ts';
import { withFlags } from '../../domain/transactions/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import type { Report } from '../../providers/provider.ts';
import type { Services } from '../../services/services.ts';
import type { HistoryEntry } from '../../store/history.ts';
import { insertProviderOrders } from '../../store/order-matching.ts';
import { keepOwnFlags } from '../order-state/keep-own-flags.ts';
import {
  type LockedOrderState,
  lockOrderStates,
  nameOf,
  type OrderName,
} from '../order-state/lock-order-state.ts';
import {
  describeChange,
  orderSummaryOf,
  saveOrderStates,
} from '../order-state/save-order-state.ts';
import type { Applied, AppliedDelivery } from './applied-delivery.ts';
import { namesOf, newNamesOf, targetNamesOf } from './delivery-names.ts';
import { eraseDelivery } from './erase-delivery.ts';
import {
  agreeOnProviderOrders,
  type Ground,
  type Readable,
  type ResolvedOrders,
  resolveOrders,
} from './resolve-orders.ts';
import { translateDelivery } from './translate-delivery.ts';

export async function applyDeliveries(
  tx: Transaction,
  services: Services,
  deliveries: readonly Delivery[],
  ground: Ground = { resolved: new Map(), orderStates: [] },
): Promise<Applied> {
  const now = services.clock();
  const read = deliveries.map((delivery) => readDelivery(delivery, now));
  const found = await resolveOrders(tx, deliveries, ground.resolved);
  const readable = read.filter((entry) => 'notice' in entry);
  const { resolved, learned } = agreeOnProviderOrders(readable, found);
  const pages = await openPages(tx, resolved, ground.orderStates);
  const applied = read.map((entry, place) => {
    const own = deliveries[place];
    if (!own) throw new Error('a delivery was not read');
    const orders = resolved.get(own)?.orders ?? [];
    const erased = isForErased(own, orders, pages) ? eraseDelivery(own) : undefined;
    const said = erased ? readDelivery(erased, now) : entry;
    const done =
      'notice' in said
        ? applyNoticeOf(said, orders, pages, now)
        : 'report' in said
          ? finishReport(said, orders, now)
          : said;
    const result = keepOwnFlags(own, done.result);
    return { ...done, result, ...(erased?.body && { erasedBody: erased.body }) };
  });
  const pollAt = addSeconds(now, services.settings.pollSeconds);
  const changed = [...pages.values()]
    .filter(({ before, current }) => current.transactions !== before.transactions)
    .map(({ before, current, entries }) => ({ before, after: current, entries, pollAt }));
  const save = async () => {
    await Promise.all([insertProviderOrders(tx, learned), saveOrderStates(tx, changed)]);
  };
  return { applied, save };
}

type Reported = { readonly delivery: Delivery; readonly report: Report };

function readDelivery(delivery: Delivery, now: Date): Readable | Reported | AppliedDelivery {
  const translation = translateDelivery(delivery);
  switch (translation.kind) {
    case 'unreadable':
      return finish(delivery, now, { state: 'ignored', why: translation.why });
    case 'ignored':
      return finish(delivery, now, {
        state: 'ignored',
        why: translation.why,
        flags: translation.flags ?? [],
      });
    case 'notice':
      return { delivery, notice: translation.notice };
    case 'report':
      return { delivery, report: translation };
    default:
      return translation satisfies never;
  }
}

/** A order state as it was locked, as it is after the deliveries so far, and what they changed. */
type Page = {
  readonly before: LockedOrderState;
  current: SettledOrderState;
  readonly entries: HistoryEntry[];
};

type Pages = ReadonlyMap<string, Page>;

async function openPages(
  tx: Transaction,
  resolved: ResolvedOrders,
  locked: readonly LockedOrderState[],
): Promise<Pages> {
  const pages = new Map<string, Page>();
  const open = (before: LockedOrderState) => {
    const current = { ...before, state: orderSummaryOf(before.order) };
    pages.set(nameOf(before.order), { before, current, entries: [] });
  };
  for (const orderState of locked) open(orderState);
  // Rarely any beside others: one that tells an order of ours which is not there, and is found by another name. Two
  // batches could then wait for each other; the limit of their lock wait ends it, and each delivery goes alone.
  const missing = new Map<string, OrderName>();
  for (const [{ accountId }, { orders }] of resolved) {
    const [orderId] = orders;
    if (orderId === undefined || orders.length > 1) continue;
    const name = nameOf({ accountId, orderId });
    if (!pages.has(name)) missing.set(name, { accountId, orderId });
  }
  for (const orderState of await lockOrderStates(tx, [...missing.values()])) open(orderState);
  return pages;
}

/** What was erased must not come back with a delivery. Contract 8.7. */
function isForErased({ accountId }: Delivery, orders: readonly string[], pages: Pages): boolean {
  return orders.some(
    (orderId) => pages.get(nameOf({ accountId, orderId }))?.before.order.isErased ?? false,
  );
}

function applyNoticeOf(
  { delivery, notice }: Readable,
  orders: readonly string[],
  pages: Pages,
  now: Date,
): AppliedDelivery {
  const [orderId] = orders;
  if (orderId === undefined) return park(delivery, namesOf(notice), now);
  if (orders.length > 1) return conflict(delivery, disagreement(orders), now);
  const page = pages.get(nameOf({ accountId: delivery.accountId, orderId }));
  if (!page) throw new Error(`order ${orderId} was found and is gone`);

  const { provider, deliveryKey, deliveryId, receivedAt } = delivery;
  const delivered = { ...notice, provider, deliveryKey, receivedAt };
  const before = page.current;
  if (lacksTarget(before, delivered)) return park(delivery, targetNamesOf(notice), now);
  const after = settle(applyNotice(before, delivered), now);
  if (isTooMany(before, after)) return tooMany(delivery, orderId, now);
  const { entries, newFlags } = describeChange(before, after, { cause: deliveryId, now });
  page.current = after;
  page.entries.push(...entries);
  // One that is held needs a person also where its order is flagged for another one already.
  const flags = withFlags(newFlags, flagsOfHeld(after.held, deliveryKey));
  return finish(delivery, now, {
    state: flags.length > 0 ? 'needs_review' : entries.length > 0 ? 'processed' : 'stale',
    why: flags.length > 0 ? `flagged ${flags.join(', ')}` : null,
    flags,
    orderId,
    names: newNamesOf(notice),
  });
}

/** Contract 4.14. What is there already may still change. */
function isTooMany(before: SettledOrderState, after: SettledOrderState): boolean {
  const count = after.transactions.length;
  return count > limits.transactionsMax && count > before.transactions.length;
}

function tooMany(delivery: Delivery, orderId: string, now: Date): AppliedDelivery {
  const why = `its order has ${limits.transactionsMax} transactions, and no more are stored`;
  return finish(delivery, now, {
    state: 'needs_review',
    why,
    flags: ['too_many_transactions'],
    orderId,
  });
}

/** Contract 6.9: it is linked to its order, and nothing else changes. */
function finishReport(
  { delivery, report }: Reported,
  orders: readonly string[],
  now: Date,
): AppliedDelivery {
  const { names, state, why, flags } = report;
  const [orderId] = orders;
  if (orderId === undefined) return park(delivery, namesOf(names), now);
  if (orders.length > 1) return conflict(delivery, `${why}; ${disagreement(orders)}`, now, flags);
  return finish(delivery, now, { state, why, flags, orderId });
}

function disagreement(orders: readonly string[]): string {
  return `its references name different orders: ${orders.toSorted().join(', ')}`;
}

/** Contract 6.4: nothing is applied, a person decides. */
function conflict(
  delivery: Delivery,
  why: string,
  now: Date,
  others: readonly ReviewFlag[] = [],
): AppliedDelivery {
  const flags = withFlags(others, ['reference_conflict']);
  return finish(delivery, now, { state: 'needs_review', why, flags });
}

/** Contract 6.6: kept until what it names appears, tried again with growing intervals. */
function park(delivery: Delivery, waitsFor: readonly string[], now: Date): AppliedDelivery {
  const result = {
    ...nextTryOf(delivery, now, 'parked'),
    why: 'what it names is not known yet',
    flags: [],
    orderId: null,
  };
  return { result, names: [], waitsFor };
}

function finish(
  { tries }: Delivery,
  now: Date,
  end: Pick<DeliveryResult, 'state' | 'why'> & {
    readonly flags?: readonly ReviewFlag[];
    readonly orderId?: string;
    readonly names?: readonly string[];
  },
): AppliedDelivery {
  const { state, why, flags = [], orderId = null, names = [] } = end;
  const result = { state, why, flags, orderId, tries, nextTryAt: null, finishedAt: now };
  return { result, names, waitsFor: [] };
}
