/** The invariants of one order that follow from its stored state and its deliveries. Pure. Contract 9. */
import { isDeepStrictEqual } from 'node:util';
import { replayChanges } from '../../domain/history.ts';
import type { Delivery } from '../../domain/inbox/delivery.ts';
import { paymentsOf } from '../../domain/transactions/matching.ts';
import { decideOrderSummary } from '../../domain/transactions/order-state.ts';
import type { HeldNotice } from '../../domain/transactions/records.ts';
import { settleTransactions } from '../../domain/transactions/settle.ts';
import type { Payment, Transaction } from '../../domain/transactions/transaction.ts';
import type { HistoryRecord } from '../../store/history.ts';
import type { Breach } from '../../store/invariants.ts';
import { fieldsOf, orderSummaryOf } from '../order-state/describe-change.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';
import { foldInbox } from './fold-inbox.ts';
import { invariants, type NamedBreach } from './invariant-names.ts';

/** Everything that is stored about one order. */
export type OrderToCheck = {
  readonly orderState: LockedOrderState;
  readonly history: readonly HistoryRecord[];
  readonly deliveries: readonly Delivery[];
};

export type CheckedOrder = {
  readonly isInboxPruned: boolean;
  readonly isHistoryPruned: boolean;
  readonly breaches: readonly NamedBreach[];
};

export function checkOrderState(
  { orderState, history, deliveries }: OrderToCheck,
  now: Date,
): CheckedOrder {
  const unreplayed = checkHistory(orderState, history);
  const isHistoryPruned = unreplayed.length > 0 && isPruned(history);
  const isInboxPruned = deliveries.some(({ body }) => body === null);
  const found: ReadonlyArray<readonly [string, readonly Breach[]]> = [
    [invariants.status, checkStatus(orderState, now)],
    [invariants.refunds, checkRefunds(orderState, now)],
    [invariants.history, isHistoryPruned ? [] : unreplayed],
    [invariants.captures, checkCaptures(orderState)],
    [invariants.captured, checkCaptured(orderState)],
    [invariants.fold, isInboxPruned ? [] : checkFold(deliveries, orderState, now)],
  ];
  const breaches = found.flatMap(([invariant, own]) =>
    own.map((breach) => ({ ...breach, invariant })),
  );
  return { isInboxPruned, isHistoryPruned, breaches };
}

function checkHistory(
  { transactions }: LockedOrderState,
  history: readonly HistoryRecord[],
): Breach[] {
  return transactions.flatMap((transaction) => {
    const { transactionId } = transaction;
    const changes = history.flatMap(({ entries }) =>
      entries
        .filter((entry) => entry.transactionId === transactionId)
        .flatMap((own) => own.changes),
    );
    const replayed = replayChanges(changes);
    const state = JSON.parse(JSON.stringify(fieldsOf(transaction))) as Record<string, unknown>;
    const differing = Object.keys(state).filter(
      (field) => !isDeepStrictEqual(replayed[field] ?? null, state[field]),
    );
    if (differing.length === 0) return [];
    return [{ where: transactionId, what: `differs in ${differing.join(', ')}` }];
  });
}

/** Pruning deletes the first rows of an order and empties the last. */
function isPruned(history: readonly HistoryRecord[]): boolean {
  const [first] = history;
  return (first?.position ?? 1) > 1 || history.some(({ entries }) => entries.length === 0);
}

/** The sweep saves a lapsed status up to a minute late, so the status before or after lapsing is right. */
function checkStatus(orderState: LockedOrderState, now: Date): Breach[] {
  const saved = orderSummaryOf(orderState.order);
  const rightStates = [
    decideOrderSummary(orderState, orderState.order.createdAt),
    decideOrderSummary(orderState, now),
  ];
  if (rightStates.some((state) => isDeepStrictEqual(state, saved))) return [];
  return [{ where: orderState.order.orderId, what: `is saved as ${JSON.stringify(saved)}` }];
}

function checkRefunds(orderState: LockedOrderState, now: Date): Breach[] {
  const isFlagged = orderState.order.flags.includes('over_refunded');
  const isOver = decideOrderSummary(orderState, now).flags.includes('over_refunded');
  return isOver && !isFlagged
    ? [{ where: orderState.order.orderId, what: 'is refunded more than was paid and not flagged' }]
    : [];
}

/**
 * Compares transactions by the provider's ids, because ours depend on when a delivery arrived. The sweep saves lapsing
 * up to a minute late, so a transaction from before that is right too.
 */
function checkFold(
  deliveries: readonly Delivery[],
  orderState: LockedOrderState,
  now: Date,
): Breach[] {
  const { orderId } = orderState.order;
  const folded = foldInbox(orderState, deliveries);
  const beforeLapse = new Date(Math.min(now.getTime(), orderState.order.lapsesAt.getTime() - 1));
  const right = [
    folded.transactions,
    settleTransactions(folded, beforeLapse),
    settleTransactions(folded, now),
  ].map(comparable);
  const stored = comparable(orderState.transactions);
  const isRight =
    stored.length === folded.transactions.length &&
    stored.every((entry, place) => right.some((state) => isDeepStrictEqual(entry, state[place]))) &&
    isDeepStrictEqual(keysOfHeld(orderState.held), keysOfHeld(folded.held));
  return isRight
    ? []
    : [{ where: orderId, what: 'its deliveries fold to other transactions: see "order rebuild"' }];
}

/** A transaction that was started here keeps its own id, so that id is compared too. Notices are compared by key. */
function comparable(transactions: readonly Transaction[]) {
  const plain = transactions.map(({ transactionId, notices, ...state }) => ({
    ...state,
    startedAs: state.start ? transactionId : null,
    noticeKeys: notices.map(({ deliveryKey }) => deliveryKey).sort(),
  }));
  const key = ({ type, pspTransactionId, startedAs }: (typeof plain)[number]) =>
    `${type}${startedAs}${pspTransactionId}`;
  return plain.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function keysOfHeld(held: readonly HeldNotice[]): string[] {
  return held
    .map((entry) => ('payment' in entry ? entry.payment : entry.refund).deliveryKey)
    .sort();
}

/** Each capture counts once, and the amount of a payment is the sum of its captures. Contract 9.8. */
function checkCaptures({ transactions }: LockedOrderState): Breach[] {
  const captured = paymentsOf(transactions).filter(({ captures }) => captures !== null);
  const groups = Map.groupBy(
    captured,
    ({ provider, notices }) => `${provider} ${orderOf(notices)}`,
  );
  return [...groups].flatMap(([, payments]) => {
    const counted = payments.flatMap(({ captures }) => captures ?? []);
    const ids = counted.map(({ pspId }) => pspId);
    const [first] = payments;
    const where = first?.transactionId ?? '';
    if (new Set(ids).size < ids.length) return [{ where, what: 'counts a capture twice' }];
    return payments.flatMap((payment) => checkCapturesOf(payment));
  });
}

function checkCapturesOf({ transactionId, captures, status, amount }: Payment): Breach[] {
  const sum = (captures ?? []).reduce((total, capture) => total + capture.amount, 0);
  const isShown = status !== 'succeeded' || sum === 0 || sum === amount;
  if (isShown) return [];
  return [{ where: transactionId, what: `shows ${amount} and its captures come to ${sum}` }];
}

function orderOf(notices: Payment['notices']): string {
  return notices.find(({ pspOrder }) => pspOrder !== undefined)?.pspOrder ?? '';
}

/** A payment succeeds only if the provider reported a capture. Contract 9.9. */
function checkCaptured({ transactions }: LockedOrderState): Breach[] {
  return paymentsOf(transactions)
    .filter(({ status, notices }) => {
      const isProven = notices.some(
        (notice) => notice.status === 'succeeded' && (notice.record ?? 'capture') === 'capture',
      );
      return status === 'succeeded' && !isProven;
    })
    .map(({ transactionId }) => ({ where: transactionId, what: 'succeeded without a capture' }));
}
