/**
 * The events of one change of an order: what differs between the state that was stored and the one that is stored now.
 * States in between, of deliveries that are applied together, were never visible to anybody. Contract 12.2.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Dispute, isFinalDispute } from '../disputes/dispute.ts';
import type { EventType } from '../event-type.ts';
import type { SettledOrderState } from '../order-state/settle.ts';
import type { OrderStatus } from '../orders/order.ts';
import { authorizedAmount, capturedAmount } from '../payments/hold.ts';
import type { PaymentStatus, RefundStatus } from '../payments/notice.ts';
import { findVoid } from '../payments/operation.ts';
import type { Operation, Payment, Transaction } from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';

export type OrderEvent = {
  readonly type: EventType;
  /** Null for an event about the order. */
  readonly transactionId: string | null;
  /** Set if it announces a dispute of the transaction. */
  readonly dispute?: Dispute;
  /** Set if it announces a capture or void of the transaction. */
  readonly operation?: AnnouncedOperation;
  /** Why a person should look, for `review_needed`. */
  readonly reason: ReviewReason | null;
};

type AnnouncedOperation = Pick<Operation, 'kind' | 'amount' | 'status'> & {
  /** Null for the end of a hold, which nobody requested. */
  readonly operationId: string | null;
  /** How it ended, if not by a call. Contract 16.7. */
  readonly end?: 'authorization_expired' | 'void_released';
};

/**
 * A flag, or that an announced status does not hold any more: a provider that contradicts itself can take a payment back
 * to pending, and what it reported as a refund can turn out to be the release of an authorisation.
 */
type ReviewReason = ReviewFlag | 'status_withdrawn' | 'transaction_removed';

type TellingState = Pick<SettledOrderState, 'summary' | 'transactions'>;

/**
 * Payments and refunds first, then the order: its result follows from theirs. `formerIds`: the ids of `listSilentIds` that
 * belonged to a transaction which was announced and removed.
 */
export function listEvents(
  before: TellingState,
  after: TellingState,
  formerIds: ReadonlySet<string> = new Set(),
): OrderEvent[] {
  const known = byId(before.transactions);
  const changed = after.transactions.flatMap((transaction) => {
    const { transactionId, status, type, flags } = transaction;
    const former = known.get(transactionId);
    if (former === transaction) return [];
    const ofStatus = eventsOf(transactionId, typeOf(transaction), {
      wasAnnounced: former ? typeOf(former) !== null : formerIds.has(transactionId),
      // An id can pass from a payment to a refund of the same status.
      hasChanged: former?.status !== status || former.type !== type,
      flags: newFlags(former?.flags ?? [], flags),
    });
    const ofOperations = listOperationEvents(former, transaction);
    return [...ofStatus, ...ofOperations, ...listDisputeEvents(former, transaction)];
  });
  const current = byId(after.transactions);
  const removed = before.transactions
    .filter(({ transactionId }) => !current.has(transactionId))
    .map(({ transactionId }) => review(transactionId, 'transaction_removed'));
  const ofOrder = eventsOf(null, orderEvents[after.summary.status], {
    wasAnnounced: orderEvents[before.summary.status] !== null,
    hasChanged: before.summary.status !== after.summary.status,
    flags: newFlags(before.summary.flags, after.summary.flags),
  });
  return [...changed, ...removed, ...ofOrder];
}

/** The ids of transactions that appear without an event. */
export function listSilentIds(
  before: Pick<TellingState, 'transactions'>,
  after: Pick<TellingState, 'transactions'>,
): string[] {
  const known = byId(before.transactions);
  return after.transactions
    .filter((entry) => typeOf(entry) === null && !known.has(entry.transactionId))
    .map(({ transactionId }) => transactionId);
}

function byId(transactions: readonly Transaction[]): ReadonlyMap<string, Transaction> {
  return new Map(transactions.map((entry) => [entry.transactionId, entry]));
}

function typeOf(transaction: Transaction): EventType | null {
  return transaction.type === 'payment'
    ? paymentEvents[transaction.status]
    : refundEvents[transaction.status];
}

/** `type` announces the present status; null if nothing does. */
function eventsOf(
  transactionId: string | null,
  type: EventType | null,
  change: {
    readonly wasAnnounced: boolean;
    readonly hasChanged: boolean;
    readonly flags: readonly ReviewFlag[];
  },
): OrderEvent[] {
  const flagged = change.flags.map((flag) => review(transactionId, flag));
  if (!change.hasChanged) return flagged;
  if (type) return [{ type, transactionId, reason: null }, ...flagged];
  return change.wasAnnounced ? [review(transactionId, 'status_withdrawn'), ...flagged] : flagged;
}

/** A capture or void that has its result with its first call was never pending to the shop. Contract 16.7. */
function listOperationEvents(former: Transaction | undefined, transaction: Transaction) {
  if (transaction.type === 'refund') return [];
  const { transactionId } = transaction;
  const known = new Map(operationsOf(former).map((entry) => [entry.operationId, entry]));
  const announce = (word: 'pending' | 'success' | 'failed', operation: AnnouncedOperation) => {
    const type = `${operation.kind}_${word}` as const;
    return { type, transactionId, operation, reason: null };
  };
  const isReleased = transaction.notices.some((notice) => notice.isRelease);
  const events = operationsOf(transaction).flatMap((operation): OrderEvent[] => {
    const { operationId, kind, amount, status } = operation;
    const word = wordOf(operation);
    if (word === null || word === wordOf(known.get(operationId))) return [];
    const end = kind === 'void' && status === 'succeeded' && isReleased && 'void_released';
    return [announce(word, { operationId, kind, amount, status, ...(end && { end }) })];
  });
  if (!hasEnded(former, transaction)) return events;
  const amount = authorizedAmount(transaction) - capturedAmount(transaction);
  const end = isReleased ? ({ end: 'authorization_expired' } as const) : {};
  const ended = { operationId: null, kind: 'void', status: 'succeeded', amount, ...end } as const;
  return [...events, announce('success', ended)];
}

function wordOf(operation: Operation | undefined) {
  if (!operation || (operation.status === 'pending' && !operation.isSent)) return null;
  return operation.status === 'succeeded' ? 'success' : operation.status;
}

/** A hold that ended without a capture, and without a void that was requested here. */
function hasEnded(former: Transaction | undefined, payment: Payment): boolean {
  if (payment.hold === null || payment.status !== 'reversed' || findVoid(payment)) return false;
  return former?.status !== 'reversed';
}

function operationsOf(transaction: Transaction | undefined): readonly Operation[] {
  return transaction?.type === 'payment' ? (transaction.operations ?? []) : [];
}

/** A dispute that is final from its first message on has one event. Contract 17.8. */
function listDisputeEvents(former: Transaction | undefined, transaction: Transaction) {
  const known = new Map(disputesOf(former).map((dispute) => [dispute.disputeId, dispute]));
  return disputesOf(transaction).flatMap((dispute): OrderEvent[] => {
    const before = known.get(dispute.disputeId);
    if (isDeepStrictEqual(before, dispute)) return [];
    const { transactionId } = transaction;
    return [{ type: disputeEventOf(before, dispute), transactionId, dispute, reason: null }];
  });
}

function disputeEventOf(before: Dispute | undefined, { status }: Dispute): EventType {
  if (isFinalDispute(status) && before?.status !== status) return `dispute_${status}`;
  return before ? 'dispute_updated' : 'dispute_created';
}

function disputesOf(transaction: Transaction | undefined): readonly Dispute[] {
  return transaction?.type === 'payment' ? (transaction.disputes ?? []) : [];
}

function newFlags(before: readonly ReviewFlag[], after: readonly ReviewFlag[]): ReviewFlag[] {
  return after.filter((flag) => !before.includes(flag));
}

function review(transactionId: string | null, reason: ReviewReason): OrderEvent {
  return { type: 'review_needed', transactionId, reason };
}

/** Which event announces a status. Null: the shop caused it, or it is not a result yet. */
export const paymentEvents: Readonly<Record<PaymentStatus, EventType | null>> = {
  new: null,
  pending: null,
  authorized: 'payment_authorized',
  failed: 'payment_failed',
  succeeded: 'payment_success',
  reversing: 'payment_reversed',
  reversed: 'payment_reversed',
};

export const refundEvents: Readonly<Record<RefundStatus, EventType | null>> = {
  new: null,
  pending: 'refund_pending',
  failed: 'refund_failed',
  succeeded: 'refund_success',
};

const orderEvents: Readonly<Record<OrderStatus, EventType | null>> = {
  new: null,
  pending: null,
  completed: 'order_completed',
  lapsed: 'order_lapsed',
};
