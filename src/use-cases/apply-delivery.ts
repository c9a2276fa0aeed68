/**
 * Applies one kept delivery inside the caller's transaction: translate, find the order, lock it,
 * keep the notice, fold, save. The same for a fresh delivery, a repeat, the worker and a replay.
 */
import type { Notice, ReviewFlag } from '../domain/notice.ts';
import { applyNotice, decideOrderState, type OrderBook } from '../domain/order-book.ts';
import { getProvider } from '../providers/providers.ts';
import type { Transaction } from '../store/database.ts';
import type { Delivery, DeliveryResult } from '../store/deliveries.ts';
import { findReferencedOrders, learnProviderOrder } from '../store/order-matching.ts';
import { lockOrder } from '../store/orders.ts';
import { listTransactionsWithNotices } from '../store/transactions.ts';
import { deleteDeliveryReferences, insertDeliveryReferences } from '../store/waiting-deliveries.ts';
import { nextTryOf } from './delivery-schedule.ts';
import { saveBook } from './save-book.ts';

export type AppliedDelivery = {
  readonly result: DeliveryResult;
  /** Names that are known from now on; deliveries that wait for one of them can be applied. */
  readonly names: readonly string[];
};

export async function applyDelivery(
  tx: Transaction,
  delivery: Delivery,
  now: Date,
): Promise<AppliedDelivery> {
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
      return applyToOrder(tx, delivery, translation.notice, now);
    default:
      return translation satisfies never;
  }
}

async function applyToOrder(
  tx: Transaction,
  delivery: Delivery,
  notice: Notice,
  now: Date,
): Promise<AppliedDelivery> {
  const { accountId, provider } = delivery;
  const [orderId, ...others] = await findReferencedOrders(tx, accountId, provider, notice);
  if (orderId === undefined) return park(tx, delivery, notice, now);
  if (others.length > 0) {
    return finish(delivery, now, {
      state: 'needs_review',
      why: `its references name different orders: ${[orderId, ...others].sort().join(', ')}`,
      flags: ['reference_conflict'],
    });
  }
  const before = await lockBook(tx, accountId, orderId);
  const after = applyNotice(before, {
    ...notice,
    provider,
    deliveryKey: delivery.deliveryKey,
    receivedAt: delivery.receivedAt,
  });
  const { providerOrderId } = notice.references;
  if (providerOrderId !== undefined) {
    await learnProviderOrder(tx, accountId, provider, providerOrderId, orderId);
  }
  const saved = await saveBook(tx, before, after, {
    state: decideOrderState(after, now),
    delivery,
    now,
  });
  await deleteReferencesOf(tx, delivery);
  return finish(delivery, now, {
    state: saved.newFlags.length > 0 ? 'needs_review' : saved.changed ? 'processed' : 'stale',
    why: saved.newFlags.length > 0 ? `flagged ${saved.newFlags.join(', ')}` : null,
    flags: saved.newFlags,
    orderId,
    names: namesOf(notice),
  });
}

export type LockedBook = OrderBook & {
  readonly order: NonNullable<Awaited<ReturnType<typeof lockOrder>>>;
};

/** An order with its transactions, nobody else changing it until the transaction ends. */
export async function lockBook(
  tx: Transaction,
  accountId: string,
  orderId: string,
): Promise<LockedBook> {
  const order = await lockOrder(tx, accountId, orderId);
  if (!order) throw new Error(`order ${orderId} was found and is gone`);
  return { order, transactions: await listTransactionsWithNotices(tx, accountId, orderId) };
}

/** Decision 6.6: kept until its order appears, tried again with growing intervals. */
async function park(
  tx: Transaction,
  delivery: Delivery,
  notice: Notice,
  now: Date,
): Promise<AppliedDelivery> {
  const { accountId, deliveryId } = delivery;
  await insertDeliveryReferences(tx, accountId, deliveryId, namesOf(notice));
  const result = {
    ...nextTryOf(delivery, now, 'parked'),
    why: 'no order of this account is named by it yet',
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
  return [...new Set([...names, payment?.pspTransactionId, refund?.paymentPspId])].filter(
    (name) => name !== undefined,
  );
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
