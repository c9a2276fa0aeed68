/**
 * Folds an order, or every order, from its deliveries in the inbox and saves the result, for orders that an earlier
 * version folded differently. Transactions keep their ids. Nothing is saved if the stored transactions are right.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../domain/audit.ts';
import { storedTallyOf } from '../../domain/order-state/large-order.ts';
import { idsOf, newTransactionId } from '../../domain/order-state/matching.ts';
import { settle } from '../../domain/order-state/settle.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import type { Services } from '../../services/services.ts';
import { appendAudit } from '../../store/accounts/audit.ts';
import { listDisputesOfOrder, type StoredDispute } from '../../store/disputes/dispute-rows.ts';
import { deleteDisputes } from '../../store/disputes/disputes.ts';
import { listDeliveriesOfOrder, walkDeliveryIds } from '../../store/inbox/deliveries.ts';
import { listOrdersAfter } from '../../store/orders/orders.ts';
import { retryDelivery } from '../inbox/retry-deliveries.ts';
import { type LockedOrderState, lockOrderState } from '../order-state/lock-order-state.ts';
import { saveOrderState } from '../order-state/save-order-state.ts';
import { checkDisputes } from './check-disputes.ts';
import { foldInbox } from './fold-inbox.ts';

export async function rebuildOrder(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  accountId: string,
  orderId: string,
  actor: Actor,
) {
  return services.database.transaction(async (tx) => {
    const now = services.clock();
    const before = await lockOrderState(tx, accountId, orderId);
    const deliveries = await listDeliveriesOfOrder(tx, accountId, orderId);
    // Bodies were pruned by age, so the order cannot be folded.
    if (deliveries.some(({ body }) => body === null)) return 'pruned';
    const folded = withKnownIds(foldInbox(before, deliveries), before);
    const after = settle(folded, now);
    const rows = await listDisputesOfOrder(tx, { accountId, orderId });
    const areRowsRight = checkDisputes(after, rows).length === 0;
    if (isSame(before, after) && areRowsRight) return 'same';
    // Those that the order has are inserted again.
    if (!areRowsRight) await deleteDisputes(tx, rows.map(toDisputeKey));
    const change = { now, cause: 'rebuild', isRebuilt: true } as const;
    await saveOrderState(tx, services, before, after, change);
    await appendAudit(tx, actor, now, { accountId, action: 'order.rebuilt', object: orderId });
    return 'rebuilt';
  });
}

function toDisputeKey({ dispute: { disputeId }, ...row }: StoredDispute) {
  return { ...row, disputeId };
}

/** Merchants may have stored transaction ids, so each payment or refund keeps its id. */
function withKnownIds(folded: LockedOrderState, { order, transactions: stored }: LockedOrderState) {
  const taken: Transaction[] = folded.transactions.filter(({ start }) => start !== null);
  const free = new Set(stored.filter(({ start }) => start === null));
  const take = (is: (entry: Transaction) => boolean) => {
    const found = [...free].find(is);
    if (found) free.delete(found);
    return found;
  };
  const reported = folded.transactions.filter(({ start }) => start === null);
  const exact = reported.map((entry) => take((known) => hasSamePspId(known, entry)));
  for (const [index, entry] of reported.entries()) {
    const owner = exact[index] ?? take((known) => sharesNotice(known, entry));
    const ids = idsOf([...taken, ...free]);
    const transactionId =
      owner?.transactionId ?? newTransactionId(order.orderId, ids, order.createdAt, entry.notices);
    taken.push({ ...entry, transactionId });
  }
  return { ...folded, transactions: taken };
}

function hasSamePspId(a: Transaction, b: Transaction): boolean {
  return (
    a.type === b.type && a.provider === b.provider && a.pspTransactionId === b.pspTransactionId
  );
}

function sharesNotice(a: Transaction, b: Transaction): boolean {
  const keys = new Set(b.notices.map(({ deliveryKey }) => deliveryKey));
  return a.type === b.type && a.notices.some(({ deliveryKey }) => keys.has(deliveryKey));
}

function isSame(before: LockedOrderState, after: LockedOrderState): boolean {
  const { tally } = before.order;
  return (
    (!tally || isDeepStrictEqual(tally, storedTallyOf(after))) &&
    isDeepStrictEqual(comparable(before.transactions), comparable(after.transactions)) &&
    isDeepStrictEqual(comparableHeld(before.held), comparableHeld(after.held)) &&
    isDeepStrictEqual(comparableHeld(before.disputeNotices), comparableHeld(after.disputeNotices))
  );
}

/** Ignores the order. */
function comparableHeld(notices: readonly object[] = []): unknown {
  return notices.map((entry) => JSON.stringify(entry)).sort();
}

/** Ignores the order of transactions and of notices. */
function comparable(transactions: readonly Transaction[]): unknown {
  const sorted = transactions.toSorted((a, b) => (a.transactionId < b.transactionId ? -1 : 1));
  const plain = sorted.map((entry) => ({
    ...entry,
    notices: [...entry.notices].sort((a, b) => (a.deliveryKey < b.deliveryKey ? -1 : 1)),
  }));
  return JSON.parse(JSON.stringify(plain));
}

const pageSize = 200;

/** Rebuilds every order from the inbox. An order that fails does not stop the others. */
export async function rebuildAll(services: Services, actor: Actor) {
  const { database } = services;
  await replayIgnored(services);
  const rebuilt: string[] = [];
  const failed: string[] = [];
  let [unchanged, pruned] = [0, 0];
  for (let page = await listOrdersAfter(database, undefined, pageSize); page.length > 0; ) {
    for (const { accountId, orderId } of page) {
      try {
        const outcome = await rebuildOrder(services, accountId, orderId, actor);
        if (outcome === 'rebuilt') rebuilt.push(orderId);
        else if (outcome === 'same') unchanged += 1;
        else pruned += 1;
      } catch (error) {
        services.reportDefect(error, { orderId });
        failed.push(orderId);
      }
    }
    page = await listOrdersAfter(database, page.at(-1), pageSize);
  }
  return { rebuilt, unchanged, not_rebuilt_body_pruned: pruned, failed };
}

/**
 * Deliveries that an earlier version ignored may be understood now, and disputes that it left to a person are applied
 * (contract 17). A defect is saved with the delivery.
 */
async function replayIgnored(services: Services): Promise<void> {
  const { database } = services;
  for (const found of [
    walkDeliveryIds(database, 'ignored'),
    walkDeliveryIds(database, 'needs_review', ['chargeback', 'dispute']),
  ]) {
    for await (const { accountId, deliveryId } of found) {
      await retryDelivery(services, accountId, deliveryId, 'requested').catch(() => undefined);
    }
  }
}
