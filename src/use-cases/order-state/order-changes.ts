/** What changed in the states of orders, as one value: the rows to write. It is computed here and written elsewhere. */
import { isDeepStrictEqual } from 'node:util';
import { listChanges } from '../../domain/history.ts';
import { storedTallyOf } from '../../domain/order-state/large-order.ts';
import type { OrderSummary } from '../../domain/order-state/order-state.ts';
import { type SettledOrderState, uncapturedAtMs } from '../../domain/order-state/settle.ts';
import { movedAmount, type StoredTally } from '../../domain/order-state/tally.ts';
import { needsPolling } from '../../domain/payments/needs-polling.ts';
import type { HeldNotice } from '../../domain/payments/records.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import type { NewEvent } from '../../store/events/events.ts';
import type { OrderKey } from '../../store/order-rows.ts';
import type { HistoryEntry } from '../../store/orders/history.ts';
import type { SavedTransaction } from '../../store/payments/transactions.ts';
import { changesOf, listRemoved, orderSummaryOf, transactionsById } from './describe-change.ts';
import { type LockedOrderState, orderKeyOf } from './lock-order-state.ts';

export type ChangedOrderState = {
  readonly before: LockedOrderState;
  readonly after: SettledOrderState;
  readonly entries: readonly HistoryEntry[];
  /** Folded again from the inbox, so every transaction is written with all its notices. */
  readonly isRebuilt?: true;
};

export type OrderChanges = {
  /** Transactions whose provider id moves to another transaction. */
  readonly releasedPspIds: readonly TransactionsOfOrder[];
  readonly updatedTransactions: readonly SavedTransaction[];
  readonly newTransactions: readonly SavedTransaction[];
  readonly removedTransactions: readonly TransactionsOfOrder[];
  readonly summaries: ReadonlyArray<
    OrderKey & {
      readonly state: OrderSummary;
      readonly held: readonly HeldNotice[];
      readonly tally: StoredTally | null;
      readonly eventSequence: number;
    }
  >;
  readonly history: ReadonlyArray<{
    readonly order: OrderKey;
    readonly entries: readonly HistoryEntry[];
  }>;
  readonly events: readonly NewEvent[];
};

type TransactionsOfOrder = {
  readonly order: OrderKey;
  readonly transactionIds: readonly string[];
};

/** Open transactions are polled at their provider at `pollAt`. */
export function listOrderChanges(
  changed: readonly ChangedOrderState[],
  pollAt: Date,
  events: readonly NewEvent[],
): OrderChanges {
  const lastSequences = new Map(events.map((event) => [orderKeyOf(event), event.sequence]));
  return {
    releasedPspIds: changed.flatMap(findReleasedPspIds),
    updatedTransactions: changed.flatMap((order) => listUpdatedTransactions(order, pollAt)),
    newTransactions: changed.flatMap((order) => listNewTransactions(order, pollAt)),
    removedTransactions: changed.flatMap(({ before, after }) =>
      transactionsOf(before.order, listRemoved(before, after)),
    ),
    summaries: changed.flatMap((order) => findChangedSummary(order, lastSequences)),
    history: changed.map(({ before, entries }) => ({ order: before.order, entries })),
    events,
  };
}

/** Rare: a payment started here turned out to be one that the provider reported under another transaction. */
function findReleasedPspIds({ before, after }: ChangedOrderState): TransactionsOfOrder[] {
  const byId = transactionsById(after);
  const released = before.transactions.filter(({ transactionId, pspTransactionId }) => {
    const pspIdAfter = byId.get(transactionId)?.pspTransactionId;
    return pspTransactionId !== null && pspIdAfter !== pspTransactionId;
  });
  return transactionsOf(before.order, released);
}

function transactionsOf(
  order: OrderKey,
  transactions: readonly Transaction[],
): TransactionsOfOrder[] {
  if (transactions.length === 0) return [];
  return [{ order, transactionIds: transactions.map(({ transactionId }) => transactionId) }];
}

/** Also those whose notices changed although no field did. */
function listUpdatedTransactions(changed: ChangedOrderState, pollAt: Date): SavedTransaction[] {
  const { before, after, isRebuilt } = changed;
  const knownById = transactionsById(before);
  return after.transactions
    .filter((transaction) => {
      const known = knownById.get(transaction.transactionId);
      if (!known || (known === transaction && !isRebuilt)) return false;
      return (
        isRebuilt || !hasSameNotices(known, transaction) || changesOf(known, transaction).length > 0
      );
    })
    .map((transaction) => toSaved(changed, transaction, pollAt));
}

/** Compared by key: a fold may exchange one notice for another, and then their number stays the same. */
function hasSameNotices(before: Transaction, after: Transaction): boolean {
  if (before.notices === after.notices) return true;
  const known = new Set(before.notices.map(({ deliveryKey }) => deliveryKey));
  return (
    known.size === after.notices.length &&
    after.notices.every(({ deliveryKey }) => known.has(deliveryKey))
  );
}

function listNewTransactions(changed: ChangedOrderState, pollAt: Date): SavedTransaction[] {
  const { before, after } = changed;
  const knownById = transactionsById(before);
  return after.transactions
    .filter(({ transactionId }) => !knownById.has(transactionId))
    .map((transaction) => toSaved(changed, transaction, pollAt));
}

function toSaved(
  { before }: ChangedOrderState,
  transaction: Transaction,
  pollAt: Date,
): SavedTransaction {
  const { accountId, orderId, userId, amounts } = before.order;
  const isPaid = transaction.type === 'payment' && transaction.status === 'succeeded';
  return {
    accountId,
    orderId,
    transaction,
    movedAmount: movedAmount(transaction, amounts.currency),
    pollAt: needsPolling(transaction) ? nextPollOf(transaction, pollAt) : null,
    paidBy: isPaid ? userId : null,
  };
}

/** An authorised payment is polled when it is due to be flagged, however long the poll interval is. Contract 4.8. */
function nextPollOf(transaction: Transaction, pollAt: Date): Date {
  const dueAtMs = transaction.type === 'payment' ? uncapturedAtMs(transaction) : null;
  return dueAtMs !== null && dueAtMs > pollAt.getTime() ? new Date(dueAtMs) : pollAt;
}

function findChangedSummary(
  { before, after }: ChangedOrderState,
  lastSequences: ReadonlyMap<string, number>,
): OrderChanges['summaries'] {
  const { accountId, orderId } = before.order;
  const eventSequence = lastSequences.get(orderKeyOf(before.order)) ?? before.order.eventSequence;
  const { summary, held } = after;
  const tally = storedTallyOf(after);
  const isSame =
    eventSequence === before.order.eventSequence &&
    held === before.held &&
    listChanges(orderSummaryOf(before.order), summary).length === 0 &&
    isDeepStrictEqual(tally, before.order.tally ?? null);
  return isSame ? [] : [{ accountId, orderId, state: summary, held, tally, eventSequence }];
}
