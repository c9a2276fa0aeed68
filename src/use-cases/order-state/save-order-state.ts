/**
 * Saves what changed in the states of orders, with a history row for every change (contract 4.7): first all rows are
 * computed, then they are written.
 */
import { isDeepStrictEqual } from 'node:util';
import { listChanges } from '../../domain/history.ts';
import { storedTallyOf } from '../../domain/order-state/large-order.ts';
import { type SettledOrderState, settle, uncapturedAtMs } from '../../domain/order-state/settle.ts';
import { movedAmount } from '../../domain/order-state/tally.ts';
import { hasPendingOperation, needsPolling } from '../../domain/payments/needs-polling.ts';
import type { Transaction as OrderTransaction } from '../../domain/payments/transaction.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { Services } from '../../services/services.ts';
import { deleteDisputes, saveDisputes } from '../../store/disputes/disputes.ts';
import { insertEvents } from '../../store/events/events.ts';
import { appendHistory } from '../../store/orders/history.ts';
import { saveOrderSummaries } from '../../store/orders/orders.ts';
import { insertRefundRequest } from '../../store/payments/refund-requests.ts';
import {
  deleteTransactions,
  insertTransactions,
  releasePspIds,
  type SavedTransaction,
  updateTransactions,
} from '../../store/payments/transactions.ts';
import {
  type ChangedOrderState,
  changesOf,
  describeChange,
  listRemoved,
  transactionsById,
} from './describe-change.ts';
import { listChangedDisputes } from './list-changed-disputes.ts';
import { listNewEvents } from './list-new-events.ts';
import { type LockedOrderState, lockOrderState, orderKeyOf } from './lock-order-state.ts';

/**
 * Stores what changes in an order by the passing of time alone, with its history row: the order lapses, a partial
 * capture becomes final, an authorisation is flagged because nobody captured it. Contract 4.3, 4.8 and 4.9.
 */
export async function settleOrder(
  services: Pick<Services, 'database' | 'announcer' | 'clock' | 'settings'>,
  accountId: string,
  orderId: string,
): Promise<void> {
  await services.database.transaction(async (tx) => {
    const now = services.clock();
    const before = await lockOrderState(tx, accountId, orderId);
    await saveOrderState(tx, services, before, settle(before, now), { now, cause: 'time' });
  });
}

/** The change of one order by a call of a merchant, an operator or time. */
export async function saveOrderState(
  tx: Transaction,
  services: Pick<Services, 'announcer' | 'settings'>,
  before: LockedOrderState,
  after: SettledOrderState,
  change: { readonly cause: string; readonly now: Date; readonly isRebuilt?: true },
): Promise<void> {
  const { entries } = describeChange(before, after, change);
  const changed = { before, after, entries, isRebuilt: change.isRebuilt };
  await saveOrderChanges(tx, await listOrderChanges(tx, services, [changed], change.now));
}

/** The rows to write, as one value. Open transactions are polled at their provider after the poll interval. */
export async function listOrderChanges(
  tx: Transaction,
  { announcer, settings }: Pick<Services, 'announcer' | 'settings'>,
  changed: readonly ChangedOrderState[],
  now: Date,
) {
  const events = await listNewEvents(tx, announcer, changed, now);
  const lastSequences = new Map(events.map((event) => [orderKeyOf(event), event.sequence]));
  const pollAt = addSeconds(now, settings.pollSeconds);
  const transactions = changed.map((order) => compareTransactions(order, { now, pollAt }));
  const disputes = changed.map((order) => listChangedDisputes(order, now));
  return {
    released: transactions.flatMap(({ released }) => released),
    updated: transactions.flatMap(({ updated }) => updated),
    added: transactions.flatMap(({ added }) => added),
    removed: transactions.flatMap(({ removed }) => removed),
    lateRefunds: transactions.flatMap(({ added }) => added).filter(isLateRefund),
    savedDisputes: disputes.flatMap(({ saved }) => saved),
    removedDisputes: disputes.flatMap(({ removed }) => removed),
    summaries: changed.flatMap((order) => findChangedSummary(order, lastSequences)),
    history: changed.map(({ before, entries }) => ({ order: before.order, entries })),
    events,
  };
}

type PollTimes = { readonly now: Date; readonly pollAt: Date };

function compareTransactions(
  { before, after, isRebuilt }: ChangedOrderState,
  { now, pollAt }: PollTimes,
) {
  const { order } = before;
  const knownById = transactionsById(before);
  const byId = transactionsById(after);
  // Rare: a payment started here turned out to be one that the provider reported under another transaction.
  const released = before.transactions.filter(
    ({ transactionId, pspTransactionId }) =>
      pspTransactionId !== null && byId.get(transactionId)?.pspTransactionId !== pspTransactionId,
  );
  // Also those whose notices changed although no field did.
  const updated = after.transactions.filter((transaction) => {
    const known = knownById.get(transaction.transactionId);
    if (!known) return false;
    if (isRebuilt) return true;
    if (known === transaction) return false;
    return !hasSameNotices(known, transaction) || changesOf(known, transaction).length > 0;
  });
  const added = after.transactions.filter(({ transactionId }) => !knownById.has(transactionId));
  return {
    released: idsOf(order, released),
    updated: updated.map((transaction) => toSaved(order, transaction, pollAt)),
    // The worker sends what nobody has sent.
    added: added.map((transaction) =>
      toSaved(order, transaction, transaction.start?.call === 'unsent' ? now : pollAt),
    ),
    removed: idsOf(order, listRemoved(before, after)),
  };
}

function idsOf(order: LockedOrderState['order'], transactions: readonly OrderTransaction[]) {
  if (transactions.length === 0) return [];
  return [{ order, transactionIds: transactions.map(({ transactionId }) => transactionId) }];
}

/** Compared by key: a fold may exchange one notice for another, and then their number stays the same. */
function hasSameNotices(before: OrderTransaction, after: OrderTransaction): boolean {
  if (before.notices === after.notices) return true;
  const known = new Set(before.notices.map(({ deliveryKey }) => deliveryKey));
  return (
    known.size === after.notices.length &&
    after.notices.every(({ deliveryKey }) => known.has(deliveryKey))
  );
}

function toSaved(
  { accountId, orderId, userId, amounts }: LockedOrderState['order'],
  transaction: OrderTransaction,
  pollAt: Date,
): SavedTransaction {
  const isPayment = transaction.type === 'payment';
  // An authorised payment is polled when it is due to be flagged, however long the poll interval is. Contract 4.8.
  const isAwaited = hasPendingOperation(transaction);
  const flaggedAtMs = isPayment && !isAwaited ? uncapturedAtMs(transaction) : null;
  const pollAtMs = Math.max(flaggedAtMs ?? 0, pollAt.getTime());
  return {
    accountId,
    orderId,
    transaction,
    movedAmount: movedAmount(transaction, amounts.currency),
    pollAt: needsPolling(transaction) ? new Date(pollAtMs) : null,
    paidBy: isPayment && transaction.status === 'succeeded' ? userId : null,
  };
}

function isLateRefund({ transaction }: SavedTransaction): boolean {
  return transaction.start?.refund?.isLate === true;
}

function findChangedSummary(
  { before, after }: ChangedOrderState,
  lastSequences: ReadonlyMap<string, number>,
) {
  const { accountId, orderId, tally: tallyBefore = null, eventSequence: last } = before.order;
  const eventSequence = lastSequences.get(orderKeyOf(before.order)) ?? last;
  const { summary: state, held, disputeNotices, operations } = after;
  const tally = storedTallyOf(after);
  const isSame =
    eventSequence === last &&
    held === before.held &&
    disputeNotices === before.disputeNotices &&
    operations === before.operations &&
    listChanges(before.summary, state).length === 0 &&
    isDeepStrictEqual(tally, tallyBefore);
  if (isSame) return [];
  const saved = { state, held, disputeNotices, operations, tally, eventSequence };
  return [{ accountId, orderId, ...saved }];
}

/** Every statement is started before this returns, so that it can be a part of `inOrder`. */
export async function saveOrderChanges(
  tx: Transaction,
  rows: Awaited<ReturnType<typeof listOrderChanges>>,
): Promise<void> {
  // A provider id is unique: it must be free before another transaction takes it.
  await inOrder([
    ...rows.released.map((own) => () => releasePspIds(tx, own.order, own.transactionIds)),
    () => updateTransactions(tx, rows.updated),
    () => insertTransactions(tx, rows.added),
    ...rows.lateRefunds.map((own) => () => insertRefundRequest(tx, own)),
    ...rows.removed.map((own) => () => deleteTransactions(tx, own.order, own.transactionIds)),
    () => saveDisputes(tx, rows.savedDisputes),
    () => deleteDisputes(tx, rows.removedDisputes),
    () => saveOrderSummaries(tx, rows.summaries),
    () => appendHistory(tx, rows.history),
    () => insertEvents(tx, rows.events),
  ]);
}
