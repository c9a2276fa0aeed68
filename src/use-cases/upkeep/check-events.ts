/** The invariants of the events of one order. Pure. Contract 12.9. */

import { accountLimits } from '../../domain/accounts/limits.ts';
import { paymentEvents, refundEvents } from '../../domain/events/list-events.ts';
import { limits } from '../../domain/limits.ts';
import type { Transaction } from '../../domain/payments/transaction.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Breach } from '../../store/upkeep/invariants.ts';
import type { EventOfOrder } from '../../store/upkeep/order-pages.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';

/** `completeSince`: since when an endpoint of the account has got every event; undefined without such an endpoint. */
export function checkEvents(
  { order, transactions }: LockedOrderState,
  events: readonly Omit<EventOfOrder, 'accountId' | 'orderId'>[],
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
  return transaction.type === 'payment'
    ? paymentEvents[transaction.status] !== null
    : refundEvents[transaction.status] !== null;
}
