/** The invariants of one order that follow from its stored state and its deliveries and events. Pure. Contract 9. */
import { isDeepStrictEqual } from 'node:util';
import { accountLimits } from '../../domain/accounts/limits.ts';
import { paymentEvents, refundEvents } from '../../domain/events/list-events.ts';
import { listChanges, replayChanges } from '../../domain/history.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { limits } from '../../domain/limits.ts';
import { storedTallyOf } from '../../domain/order-state/large-order.ts';
import { paymentsOf } from '../../domain/order-state/matching.ts';
import { decideOrderSummary, type OrderSummary } from '../../domain/order-state/order-state.ts';
import { settleTransactions } from '../../domain/order-state/settle.ts';
import type { HeldNotice } from '../../domain/payments/records.ts';
import type { Payment, Transaction } from '../../domain/payments/transaction.ts';
import { addSeconds } from '../../domain/time.ts';
import type { StoredDispute } from '../../store/disputes/dispute-rows.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import type { HistoryRecord } from '../../store/orders/history.ts';
import type { Breach } from '../../store/upkeep/invariants.ts';
import type { EventOfOrder } from '../../store/upkeep/order-pages.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';
import { checkDisputes, checkDoubleLoss } from './check-disputes.ts';
import {
  checkDiscounts,
  checkDuplicates,
  checkRefundParts,
  checkRefundTotals,
} from './check-money.ts';
import { foldInbox } from './fold-inbox.ts';
import { type invariants, type NamedBreach, nameBreaches } from './invariant-names.ts';

/** Everything that is stored about one order. */
export type OrderToCheck = {
  readonly orderState: LockedOrderState;
  readonly history: readonly HistoryRecord[];
  readonly deliveries: readonly Delivery[];
  readonly events: ReadonlyArray<Omit<EventOfOrder, keyof OrderKey>>;
  readonly disputes: readonly StoredDispute[];
  /** Since when an endpoint of the account has got every event. */
  readonly completeSince: Date | undefined;
};

export function checkOrderState(
  { orderState, history, deliveries, events, disputes, completeSince }: OrderToCheck,
  now: Date,
) {
  const summaryNow = decideOrderSummary(orderState, now);
  const breaches: NamedBreach[] = [];
  const note = (invariant: keyof typeof invariants, found: readonly Breach[]) => {
    if (found.length > 0) breaches.push(...nameBreaches(invariant, found));
  };
  note('status', checkStatus(orderState, now));
  note('status', checkTally(orderState));
  note('refunds', checkRefunds(orderState, summaryNow));
  const unreplayed = checkHistory(orderState, history);
  const isHistoryPruned = unreplayed.length > 0 && isPruned(history);
  if (!isHistoryPruned) note('history', unreplayed);
  note('events', checkEvents(orderState, events, completeSince));
  note('captures', checkCaptures(orderState));
  note('captured', checkCaptured(orderState));
  note('refundParts', checkRefundParts(orderState));
  note('discounts', checkDiscounts(orderState));
  note('refundTotals', checkRefundTotals(orderState));
  note('duplicates', checkDuplicates(orderState, history));
  note('doubleLoss', checkDoubleLoss(orderState, disputes));
  note('disputes', checkDisputes(orderState, disputes));
  const isInboxPruned = deliveries.some(({ body }) => body === null);
  if (!isInboxPruned) note('fold', checkFold(deliveries, orderState, now));
  return { isInboxPruned, isHistoryPruned, breaches };
}

/** The clock of the process that saved the order may be ahead of ours. */
function latestBy(now: Date): Date {
  return addSeconds(now, limits.clockSkewSecondsMax);
}

/** The sweep saves a lapsed status up to a minute late, so the status before or after lapsing is right. */
function checkStatus(orderState: LockedOrderState, now: Date): Breach[] {
  const { order, summary: saved } = orderState;
  const isRightAt = (time: Date) =>
    listChanges(saved, decideOrderSummary(orderState, time)).length === 0;
  if ([now, order.createdAt, latestBy(now)].some(isRightAt)) return [];
  return [{ where: order.orderId, what: `is saved as ${JSON.stringify(saved)}` }];
}

/** A tally that is not stored is right: the order is loaded whole. Contract 4.14. */
function checkTally(orderState: LockedOrderState): Breach[] {
  const { tally, orderId } = orderState.order;
  if (!tally || isDeepStrictEqual(tally, storedTallyOf(orderState))) return [];
  return [{ where: orderId, what: 'its tally differs from its transactions: see "order rebuild"' }];
}

function checkRefunds({ order }: LockedOrderState, summaryNow: OrderSummary): Breach[] {
  const isFlagged = order.flags.includes('over_refunded');
  const isOver = summaryNow.flags.includes('over_refunded');
  if (!isOver || isFlagged) return [];
  return [{ where: order.orderId, what: 'is refunded more than was paid and not flagged' }];
}

function checkHistory({ transactions }: LockedOrderState, history: readonly HistoryRecord[]) {
  return transactions.flatMap((transaction) => {
    const { transactionId } = transaction;
    const changes = history.flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.transactionId === transactionId ? entry.changes : [])),
    );
    const differing = listChanges(replayChanges(changes), transaction, 'notices');
    if (differing.length === 0) return [];
    const fields = differing.map(({ field }) => field).join(', ');
    return [{ where: transactionId, what: `differs in ${fields}` }];
  });
}

/** Pruning deletes the first rows of an order and empties the last. */
function isPruned(history: readonly HistoryRecord[]): boolean {
  const [first] = history;
  return (first?.position ?? 1) > 1 || history.some(({ entries }) => entries.length === 0);
}

/**
 * Compares transactions by the provider's ids, because ours depend on when a delivery arrived. The sweep saves lapsing
 * up to a minute late, so a transaction from before that is right too.
 */
function checkFold(deliveries: readonly Delivery[], orderState: LockedOrderState, now: Date) {
  const { order, transactions, held, disputeNotices } = orderState;
  if (deliveries.length + transactions.length + held.length === 0) return [];
  const folded = foldInbox(orderState, deliveries);
  const beforeLapse = new Date(Math.min(now.getTime(), order.lapsesAt.getTime() - 1));
  // Settling returns the same list when nothing changes, so most orders have one right state.
  const right = new Set([
    folded.transactions,
    settleTransactions(folded, beforeLapse),
    settleTransactions(folded, now),
    settleTransactions(folded, latestBy(now)),
  ]);
  const rightStates = [...right].map(comparable);
  const stored = comparable(transactions);
  const isRight =
    stored.length === folded.transactions.length &&
    stored.every((entry, index) =>
      rightStates.some((state) => listChanges(state[index], entry).length === 0),
    ) &&
    isDeepStrictEqual(keysOfHeld(held), keysOfHeld(folded.held));
  const where = order.orderId;
  // Before transactions, because they show the disputes and are other ones then too.
  if (!isDeepStrictEqual(keysOf(disputeNotices), keysOf(folded.disputeNotices)))
    return [{ where, what: 'its deliveries fold to other disputes: run "order rebuild --all"' }];
  if (isRight) return [];
  return [{ where, what: 'its deliveries fold to other transactions: see "order rebuild"' }];
}

/** A transaction that was started here keeps its own id, so that id is compared too. Notices are compared by key. */
function comparable(transactions: readonly Transaction[]) {
  const plain = transactions.map((transaction) => ({
    ...transaction,
    transactionId: transaction.start ? transaction.transactionId : null,
    notices: transaction.notices.map(({ deliveryKey }) => deliveryKey).sort(),
  }));
  if (plain.length < 2) return plain;
  const key = ({ type, pspTransactionId, transactionId }: (typeof plain)[number]) =>
    `${type}${transactionId}${pspTransactionId}`;
  return plain.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function keysOfHeld(held: readonly HeldNotice[]): string[] {
  return keysOf(held.map((entry) => ('payment' in entry ? entry.payment : entry.refund)));
}

function keysOf(notices: ReadonlyArray<{ readonly deliveryKey: string }> = []): string[] {
  return notices.map(({ deliveryKey }) => deliveryKey).sort();
}

/** Each capture counts once, and the amount of a payment is the sum of its captures. Contract 9.8. */
function checkCaptures({ transactions }: LockedOrderState): Breach[] {
  const captured = paymentsOf(transactions).filter(({ captures }) => captures !== null);
  const groups = Map.groupBy(
    captured,
    ({ provider, notices }) => `${provider} ${orderOf(notices)}`,
  );
  return [...groups.values()].flatMap((payments) => {
    const ids = payments.flatMap(({ captures }) => (captures ?? []).map(({ pspId }) => pspId));
    const where = payments[0]?.transactionId ?? '';
    if (new Set(ids).size < ids.length) return [{ where, what: 'counts a capture twice' }];
    return payments.flatMap(({ transactionId, captures, status, amount }) => {
      const sum = (captures ?? []).reduce((total, capture) => total + capture.amount, 0);
      if (status !== 'succeeded' || sum === 0 || sum === amount) return [];
      return [{ where: transactionId, what: `shows ${amount} and its captures come to ${sum}` }];
    });
  });
}

function orderOf(notices: Payment['notices']): string {
  return notices.find(({ pspOrder }) => pspOrder !== undefined)?.pspOrder ?? '';
}

/** A payment succeeds only if the provider reported a capture. Contract 9.9. */
function checkCaptured({ transactions }: LockedOrderState): Breach[] {
  return paymentsOf(transactions).flatMap(({ transactionId, status, notices }) => {
    const isProven = notices.some(
      (notice) => notice.status === 'succeeded' && (notice.record ?? 'capture') === 'capture',
    );
    if (status !== 'succeeded' || isProven) return [];
    return [{ where: transactionId, what: 'succeeded without a capture' }];
  });
}

/** Contract 12.9. `completeSince`: since when an endpoint of the account has got every event; undefined without such an endpoint. */
function checkEvents(
  { order, transactions }: LockedOrderState,
  events: OrderToCheck['events'],
  completeSince: Date | undefined,
): Breach[] {
  const { orderId, eventSequence } = order;
  const hasGap = events.some(({ sequence }, index) => sequence !== index + 1);
  if (hasGap || events.length !== eventSequence) {
    const numbers = events.map(({ sequence }) => sequence).join(', ') || 'none';
    return [{ where: orderId, what: `counts ${eventSequence} events and has ${numbers}` }];
  }
  if (!isComplete(order.createdAt, completeSince)) return [];
  const last = new Map(events.map((event) => [event.transactionId, event.status]));
  const known = new Map(transactions.map((entry) => [entry.transactionId, entry]));
  const announcedIds = [...last.keys()].filter((id) => id !== null);
  return [...new Set([...announcedIds, ...known.keys()])].flatMap((transactionId) => {
    const transaction = known.get(transactionId);
    const announcedStatus = last.get(transactionId);
    const status = transaction?.status ?? 'removed';
    // A payment that is new or pending has no event.
    if (announcedStatus === undefined && transaction && !isAnnounced(transaction)) return [];
    if (announcedStatus === status) return [];
    const announced = announcedStatus ?? 'nothing';
    return [{ where: transactionId, what: `is ${status}, and ${announced} was announced` }];
  });
}

/** A process may have used the account as it was before, and its clock may differ. */
function isComplete(createdAt: Date, completeSince: Date | undefined): boolean {
  if (completeSince === undefined) return false;
  const slackSeconds = limits.clockSkewSecondsMax + accountLimits.secretsCacheMsMax / 1_000;
  return createdAt > addSeconds(completeSince, slackSeconds);
}

function isAnnounced(transaction: Transaction): boolean {
  if (transaction.type === 'payment') return paymentEvents[transaction.status] !== null;
  return refundEvents[transaction.status] !== null;
}
