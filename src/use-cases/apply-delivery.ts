/**
 * Applies one kept delivery inside the caller's transaction: translate, find the order, lock it,
 * keep the notice, fold, save. The same for a fresh delivery, a repeat, the worker and a replay.
 */

import type { Notice, ReviewFlag } from '../domain/notice.ts';
import type { Order } from '../domain/order.ts';
import {
  applyNotice,
  decideOrderState,
  lacksTarget,
  type OrderBook,
} from '../domain/order-book.ts';
import { addSeconds } from '../domain/time.ts';
import { getProvider } from '../providers/providers.ts';
import type { Transaction } from '../store/database.ts';
import type { Delivery, DeliveryResult } from '../store/deliveries.ts';
import { findReferencedOrders, learnProviderOrder } from '../store/order-matching.ts';
import { lockOrder } from '../store/orders.ts';
import { listTransactionsWithNotices } from '../store/transactions.ts';
import { deleteDeliveryReferences, insertDeliveryReferences } from '../store/waiting-deliveries.ts';
import { nextTryOf } from './delivery-schedule.ts';
import { saveBook } from './save-book.ts';
import type { Services } from './services.ts';

export type AppliedDelivery = {
  readonly result: DeliveryResult;
  /** Names that are known from now on; deliveries that wait for one of them can be applied. */
  readonly names: readonly string[];
};

export async function applyDelivery(
  tx: Transaction,
  services: Services,
  delivery: Delivery,
): Promise<AppliedDelivery> {
  const now = services.clock();
  const translation = getProvider(delivery.provider).translate(delivery, {
    bankGatewayMerchant: delivery.expectedMerchant,
  });
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
      return applyToOrder(tx, services, delivery, translation.notice);
    default:
      return translation satisfies never;
  }
}

async function applyToOrder(
  tx: Transaction,
  services: Services,
  delivery: Delivery,
  notice: Notice,
): Promise<AppliedDelivery> {
  const now = services.clock();
  const { accountId, provider } = delivery;
  const orders = await findOrdersOf(tx, delivery, notice);
  const [orderId] = orders;
  if (orderId === undefined) return park(tx, delivery, namesOf(notice), now);
  if (orders.length > 1) return conflict(tx, delivery, orders, now);

  const before = await lockBook(tx, accountId, orderId);
  const { deliveryKey, receivedAt } = delivery;
  const delivered = { ...notice, provider, deliveryKey, receivedAt };
  if (lacksTarget(before, delivered)) {
    return park(tx, delivery, [notice.payment?.pspTransactionId ?? ''], now);
  }
  const { providerOrderId } = notice.references;
  if (providerOrderId !== undefined && delivery.orderId === null) {
    const known = await learnProviderOrder(tx, accountId, provider, providerOrderId, orderId);
    if (known !== orderId) return conflict(tx, delivery, [orderId, known], now);
  }
  const after = applyNotice(before, delivered);
  const state = decideOrderState(after, now);
  const { changed, newFlags } = await saveBook(tx, before, after, {
    state,
    now,
    cause: delivery,
    askAt: addSeconds(now, services.settings.askSeconds),
  });
  await deleteReferencesOf(tx, delivery);
  return finish(delivery, now, {
    state: newFlags.length > 0 ? 'needs_review' : changed ? 'processed' : 'stale',
    why: newFlags.length > 0 ? `flagged ${newFlags.join(', ')}` : null,
    flags: newFlags,
    orderId,
    names: namesOf(notice),
  });
}

/** What was applied once stays with its order, whatever its references name by now. */
async function findOrdersOf(
  tx: Transaction,
  { accountId, provider, orderId }: Delivery,
  notice: Notice,
): Promise<readonly string[]> {
  if (orderId !== null) return [orderId];
  return findReferencedOrders(tx, accountId, provider, notice);
}

/** Decision 6.4: nothing is applied, a person decides. */
async function conflict(
  tx: Transaction,
  delivery: Delivery,
  orders: readonly string[],
  now: Date,
): Promise<AppliedDelivery> {
  await deleteReferencesOf(tx, delivery);
  return finish(delivery, now, {
    state: 'needs_review',
    why: `its references name different orders: ${orders.toSorted().join(', ')}`,
    flags: ['reference_conflict'],
  });
}

export type LockedBook = OrderBook & { readonly order: Order };

/** An order with its transactions, nobody else changing it until the transaction ends. */
export async function lockBook(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<LockedBook> {
  const order = await lockOrder(tx, accountId, orderId);
  if (!order) throw new Error(`order ${orderId} was found and is gone`);
  return loadBook(tx, order);
}

/** The transactions of an order that is locked. */
export async function loadBook(tx: Transaction, order: Order): Promise<LockedBook> {
  const { accountId, orderId } = order;
  return { order, transactions: await listTransactionsWithNotices(tx, accountId, orderId) };
}

/** Decision 6.6: kept until what it names appears, tried again with growing intervals. */
async function park(
  tx: Transaction,
  delivery: Delivery,
  names: readonly string[],
  now: Date,
): Promise<AppliedDelivery> {
  const { accountId, deliveryId } = delivery;
  await insertDeliveryReferences(tx, accountId, deliveryId, names);
  const result = {
    ...nextTryOf(delivery, now, 'parked'),
    why: 'what it names is not known yet',
    flags: [],
    orderId: null,
    finishedAt: null,
  };
  return { result, names: [] };
}

/** Everything that could name the order once there is one. */
function namesOf({ references, payment, refund }: Notice): string[] {
  const all = [references, ...(references.otherwise ?? [])];
  const names = all.flatMap(({ orderIds, invoiceIds, transactionIds, providerOrderId }) => [
    ...orderIds,
    ...invoiceIds,
    ...transactionIds,
    providerOrderId,
  ]);
  const psp = [payment?.pspTransactionId, payment?.aliasPspId, refund?.paymentPspId];
  return [...new Set([...names, ...psp])].filter((name) => name !== undefined);
}

async function deleteReferencesOf(tx: Transaction, delivery: Delivery): Promise<void> {
  const wasWaiting = delivery.tries > 0;
  if (wasWaiting) await deleteDeliveryReferences(tx, delivery.accountId, delivery.deliveryId);
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
  return { result, names };
}
