/** Writes what changed in the states of orders, with a history row for every change. Contract 4.7. */
import { type SettledOrderState, settle } from '../../domain/order-state/settle.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Transaction } from '../../postgres/database.ts';
import { inOrder } from '../../postgres/statement.ts';
import type { Services } from '../../services/services.ts';
import { insertEvents } from '../../store/events/events.ts';
import { appendHistory } from '../../store/orders/history.ts';
import { saveOrderSummaries } from '../../store/orders/orders.ts';
import {
  deleteTransactions,
  insertTransactions,
  releasePspIds,
  updateTransactions,
} from '../../store/payments/transactions.ts';
import { describeChange, orderSummaryOf } from './describe-change.ts';
import { listNewEvents } from './list-new-events.ts';
import { type LockedOrderState, lockOrderState } from './lock-order-state.ts';
import { listOrderChanges, type OrderChanges } from './order-changes.ts';

/** The change of one order by a call of a merchant, an operator or time. */
export async function saveOrderState(
  tx: Transaction,
  { announcer, settings }: Pick<Services, 'announcer' | 'settings'>,
  before: LockedOrderState,
  after: SettledOrderState,
  change: { readonly cause: string; readonly now: Date; readonly isRebuilt?: true },
): Promise<void> {
  const { now, isRebuilt } = change;
  const beforeWithSummary = { ...before, summary: orderSummaryOf(before.order) };
  const { entries } = describeChange(beforeWithSummary, after, change);
  const changed = { before, after, entries };
  const events = await listNewEvents(tx, announcer, [changed], now);
  const pollAt = addSeconds(now, settings.pollSeconds);
  const written = isRebuilt ? { ...changed, isRebuilt } : changed;
  const changes = listOrderChanges([written], pollAt, events);
  await saveOrderChanges(tx, changes);
}

/** Every statement is started before this returns, so that it can be a part of `inOrder`. */
export async function saveOrderChanges(tx: Transaction, changes: OrderChanges): Promise<void> {
  // A provider id is unique: it must be free before another transaction takes it.
  await inOrder([
    ...changes.releasedPspIds.map(
      ({ order, transactionIds }) =>
        () =>
          releasePspIds(tx, order, transactionIds),
    ),
    () => updateTransactions(tx, changes.updatedTransactions),
    () => insertTransactions(tx, changes.newTransactions),
    ...changes.removedTransactions.map(
      ({ order, transactionIds }) =>
        () =>
          deleteTransactions(tx, order, transactionIds),
    ),
    () => saveOrderSummaries(tx, changes.summaries),
    () => appendHistory(tx, changes.history),
    () => insertEvents(tx, changes.events),
  ]);
}

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
