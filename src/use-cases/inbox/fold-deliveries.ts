/**
 * Applies the deliveries of a batch, one after the other, to the locked states of their orders. Computes what changes
 * and what becomes of each delivery; nothing is written.
 */
import type { Account } from '../../domain/accounts/account.ts';
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
import { resultOfRetry } from '../../domain/inbox/retry-schedule.ts';
import { flagsOfHeld } from '../../domain/order-state/group.ts';
import { isLoadedFor, losesCounted, mayLackRefunds } from '../../domain/order-state/large-order.ts';
import { listLatePayments } from '../../domain/order-state/late-payments.ts';
import { applyNotice, lacksTarget } from '../../domain/order-state/order-state.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { Notice } from '../../domain/payments/notice.ts';
import { withFlags } from '../../domain/payments/transaction.ts';
import type { Transaction } from '../../postgres/database.ts';
import { createPauses } from '../../services/event-loop.ts';
import type { Services } from '../../services/services.ts';
import type { ReferencedOrders } from '../../store/orders/order-matching.ts';
import { advance, describeChange, startChanges } from '../order-state/describe-change.ts';
import {
  type LockedOrderState,
  loadOrderState,
  orderKeyOf,
} from '../order-state/lock-order-state.ts';
import { refundLatePayments } from '../order-state/refund-late-payments.ts';
import { type EarlyOrders, resolveOrders } from './resolve-orders.ts';
import { eraseDelivery, translateDelivery } from './translate-delivery.ts';

/** Is given back with what became of it. */
export type DeliveryToApply = TranslatedDelivery & {
  readonly isNew: boolean;
  /** It is new, or its next try is due. */
  readonly isTry: boolean;
};

/** Finds and locks the orders of a batch and folds its deliveries into them, in the order of the batch. */
export async function foldDeliveries<Entry extends DeliveryToApply>(
  tx: Transaction,
  { accounts }: Pick<Services, 'accounts'>,
  batch: readonly Entry[],
  now: Date,
  early?: EarlyOrders,
) {
  const resolved = await resolveOrders(tx, batch, early);
  const { orders, providerOrders } = resolved;
  let { orderStates } = resolved;
  const owners: KnownAccounts = new Map();
  // Rare: each round loads one more large order whole, or the account of a late payment.
  for (;;) {
    const folded = await foldInto(orderStates, batch, orders, owners, now);
    if ('deliveries' in folded) return { ...folded, providerOrders };
    if ('accountId' in folded) {
      const { accountId } = folded;
      owners.set(
        accountId,
        accounts.recall(accountId) ?? (await accounts.findWithin(tx, accountId)),
      );
      continue;
    }
    const { notLoaded } = folded;
    const whole = await loadOrderState(tx, notLoaded.order);
    orderStates = orderStates.map((entry) => (entry === notLoaded ? whole : entry));
  }
}

/** What a delivery needs and what is not loaded. */
type NotLoaded =
  /** A large order was loaded in part and must be loaded whole: a delivery can change more of it. */
  | { readonly notLoaded: LockedOrderState }
  /** The account says what becomes of a late payment. */
  | { readonly accountId: string };

/** Undefined for an account that does not exist. */
type KnownAccounts = Map<string, Account | undefined>;

/** Pauses between deliveries, so that a large batch does not block other requests. */
async function foldInto<Entry extends DeliveryToApply>(
  orderStates: readonly LockedOrderState[],
  batch: readonly Entry[],
  ordersByDelivery: ReadonlyMap<string, ReferencedOrders>,
  owners: KnownAccounts,
  now: Date,
) {
  const changes = startChanges(orderStates);
  const pauseIfLong = createPauses();
  const deliveries: Array<Entry & Omit<DeliveryOutcome, 'result'> & { after: Delivery }> = [];
  for (const entry of batch) {
    const { delivery, isTry } = entry;
    const { accountId, deliveryId } = delivery;
    const named = ordersByDelivery.get(deliveryId)?.orders ?? [];
    // Erased personal data must not come back with a later delivery. Only values that the delivery itself contains can
    // be found, because the order's own data is gone. Contract 8.7.
    const isErased = named.some(
      (orderId) => changes.get(orderKeyOf({ accountId, orderId }))?.before.order.isErased,
    );
    const erased = isErased ? eraseDelivery(delivery) : undefined;
    const readable = erased ? translateDelivery(erased) : entry;
    const outcome = foldDelivery(readable, named, changes, owners, now);
    if (!('result' in outcome)) return outcome;
    const { names, parkedFor } = outcome;
    const result = withReusedEventFlag(delivery, outcome.result);
    const after = {
      ...delivery,
      ...(isTry ? result : resultOfRetry(delivery, result)),
      ...(erased?.body && { body: erased.body }),
    };
    deliveries.push({ ...entry, after, names, parkedFor });
    const pause = pauseIfLong();
    if (pause) await pause;
  }
  const changed = [...changes.values()].filter(
    ({ before, after }) =>
      after.transactions !== before.transactions || after.disputeNotices !== before.disputeNotices,
  );
  return { deliveries, orders: changed };
}

function foldDelivery(
  { delivery, translation }: TranslatedDelivery,
  orders: readonly string[],
  changes: ReturnType<typeof startChanges>,
  owners: KnownAccounts,
  now: Date,
): DeliveryOutcome | NotLoaded {
  const [orderId] = orders;
  switch (translation.kind) {
    case 'unreadable':
      return finish(delivery, now, { state: 'ignored', why: translation.why });
    case 'ignored': {
      const { why, flags = [] } = translation;
      return finish(delivery, now, { state: 'ignored', why, flags });
    }
    case 'report': {
      // Linked to its order, without any other change. Contract 17.8.
      const { names, state, why, flags } = translation;
      if (orderId === undefined) return park(delivery, listNames(names), now);
      if (orders.length > 1) return reportConflict(delivery, orders, now, translation);
      return finish(delivery, now, { state, why, flags, orderId });
    }
    case 'notice':
      if (orderId === undefined) return park(delivery, listNames(translation.notice), now);
      if (orders.length > 1) return reportConflict(delivery, orders, now);
      return foldNotice(delivery, translation.notice, orderId, changes, owners, now);
    default:
      return translation satisfies never;
  }
}

function foldNotice(
  delivery: Delivery,
  notice: Notice,
  orderId: string,
  changes: ReturnType<typeof startChanges>,
  owners: KnownAccounts,
  now: Date,
): DeliveryOutcome | NotLoaded {
  const { accountId, provider, deliveryKey, deliveryId, receivedAt } = delivery;
  const order = changes.get(orderKeyOf({ accountId, orderId }));
  if (!order) throw new Error(`order ${orderId} was found and does not exist any more`);
  const delivered = { ...notice, provider, deliveryKey, receivedAt };
  const before = order.after;
  if (!isLoadedFor(before, delivered)) return { notLoaded: order.before };
  if (lacksTarget(before, delivered)) return park(delivery, listTargetNames(notice), now);
  const noticed = settle(applyNotice(before, delivered), now);
  if (losesCounted(before, noticed) || mayLackRefunds(noticed)) return { notLoaded: order.before };
  const exceeded = findExceededLimit(before, noticed);
  if (exceeded) return rejectTooMany(delivery, orderId, exceeded, now);
  const late = listLatePayments(before, noticed, now);
  const owner = owners.get(accountId);
  if (late.length > 0 && !owners.has(accountId)) return { accountId };
  const isRefunded = late.length > 0 && owner?.latePayments === 'refund';
  if (isRefunded && before.unloaded) return { notLoaded: order.before };
  const after = isRefunded ? refundLatePayments(noticed, late, owner, now) : noticed;
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
