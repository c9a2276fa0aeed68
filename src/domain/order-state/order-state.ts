/**
 * The order state: an order with its transactions, and how a notice changes it. Pure: the same set of notices gives
 * the same state in any order of arrival.
 */
import type { DisputeNotice, StoredDisputeNotice } from '../disputes/dispute.ts';
import { type Order, type OrderStatus, ownLapseOf } from '../orders/order.ts';
import { isHeld } from '../payments/hold.ts';
import { type DeliveredNotice, isVoid } from '../payments/notice.ts';
import type { RequestedOperation } from '../payments/operation.ts';
import type { HeldNotice } from '../payments/records.ts';
import { type Transaction, withFlags } from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { hasUnplacedDispute, lacksDisputedPayment, relateDisputes } from './disputes.ts';
import { flagsOfHeld, isHeldFor, regroup } from './group.ts';
import {
  foldTransaction,
  isAuthentication,
  paymentsOf,
  pickStartReferences,
  type StartedTransaction,
  showBestAttempts,
  toUnfolded,
  type Unfolded,
} from './matching.ts';
import { relateOperations } from './operations.ts';
import { relateTransactions } from './relate.ts';
import { addTally, type Tally, tallyOf, type Unloaded } from './tally.ts';

export type OrderState = {
  readonly order: Pick<Order, 'orderId' | 'amounts' | 'lapsesAt' | 'ownLapsesAt'>;
  readonly transactions: readonly Transaction[];
  /** Notices that belong to no transaction, or whose transaction cannot be determined. */
  readonly held: readonly HeldNotice[];
  /** What providers reported about disputes of its payments; absent if nothing. Contract 17. */
  readonly disputeNotices?: readonly StoredDisputeNotice[];
  /** Captures and voids that were requested here; absent if none was. Contract 16. */
  readonly operations?: readonly RequestedOperation[];
  /** Set for a large order of which only some transactions are loaded. */
  readonly unloaded?: Unloaded;
  /** The payments that were announced as duplicates before, which is a fact of the order. Contract 4.17. */
  readonly announcedDuplicates?: readonly string[];
};

/** What the transactions determine in the order's own row. Contract 4.3. */
export type OrderSummary = {
  readonly status: OrderStatus;
  readonly attempts: number;
  readonly flags: readonly ReviewFlag[];
  /** Set while an authorised payment keeps the order from lapsing at its own time. Contract 16.2. */
  readonly heldUntilMs: number | null;
};

export const failedAttemptsMax = 15;

export function applyNotice<State extends OrderState>(
  orderState: State,
  notice: DeliveredNotice,
): State {
  const { order } = orderState;
  if (notice.dispute) return applyDispute(orderState, notice, notice.dispute);
  if (notice.payment && isAuthentication(notice.payment))
    return applyAuthentication(orderState, notice);
  const { transactions, held } = regroup(orderState, notice);
  // A repeated notice changes nothing.
  if (transactions === orderState.transactions) return orderState;
  const { provider } = notice;
  const withPayments = showBestAttempts(order, transactions, provider, 'payment');
  const withRefunds = showBestAttempts(order, withPayments, provider, 'refund');
  return { ...orderState, transactions: relate(orderState, withRefunds), held };
}

/** An authentication changes the started payment it references, and creates no transaction. Contract 6.4. */
function applyAuthentication<State extends OrderState>(
  orderState: State,
  notice: DeliveredNotice,
): State {
  const { payment, provider, deliveryKey, references } = notice;
  const started = paymentsOf(orderState.transactions).find(
    (entry) =>
      entry.start !== null &&
      entry.provider === provider &&
      references.transactionIds.includes(entry.transactionId),
  );
  if (!payment || !started) return orderState;
  if (started.notices.some((known) => known.deliveryKey === deliveryKey)) return orderState;
  const { order } = orderState;
  const fresh = { ...payment, deliveryKey, ...pickStartReferences(references) };
  const unfolded = { ...started, notices: [...started.notices, fresh] };
  const changed = foldTransaction(unfolded, order.amounts);
  const replaced = replace(orderState.transactions, changed);
  const transactions = showBestAttempts(order, replaced, provider, 'payment');
  return { ...orderState, transactions: relate(orderState, transactions) };
}

/** A dispute changes no transaction but by what it claims of its payment. Contract 17.2. */
function applyDispute<State extends OrderState>(
  orderState: State,
  { provider, deliveryKey }: DeliveredNotice,
  dispute: DisputeNotice,
): State {
  const { disputeNotices: known = [], transactions } = orderState;
  if (known.some((notice) => notice.deliveryKey === deliveryKey)) return orderState;
  const disputeNotices = [...known, { ...dispute, provider, deliveryKey }];
  const changed = { ...orderState, disputeNotices };
  return { ...changed, transactions: relate(changed, transactions) };
}

/** Adds a payment or refund that is started here, or updates its start. */
export function applyStart<State extends OrderState>(
  orderState: State,
  started: StartedTransaction,
): State & { readonly transaction: Transaction } {
  const { order, transactions } = orderState;
  const known = transactions.find(({ transactionId }) => transactionId === started.transactionId);
  const unfolded = known ? { ...known, start: started.start } : toUnfolded(started);
  const fresh = foldTransaction(unfolded as Unfolded, order.amounts);
  const all = known ? replace(transactions, fresh) : [...transactions, fresh];
  const matched = showBestAttempts(order, all, started.provider, started.type);
  const after = relate(orderState, matched);
  const transaction = after.find(({ transactionId }) => transactionId === started.transactionId);
  return { ...orderState, transactions: after, transaction: transaction ?? fresh };
}

/** Adds a capture or void that is requested here, or the result of its call. */
export function setOperations<State extends OrderState>(
  orderState: State,
  operations: readonly RequestedOperation[],
): State {
  const changed = { ...orderState, operations };
  return { ...changed, transactions: relate(changed, orderState.transactions) };
}

/** True for a void or dispute whose target is not known yet, so that it must be parked. A failed void needs no target. */
export function lacksTarget(orderState: OrderState, notice: DeliveredNotice): boolean {
  if (notice.dispute) return lacksDisputedPayment(orderState, notice.provider, notice.dispute);
  const hasFailed = notice.payment?.status === 'new' || notice.refund?.status === 'failed';
  return isVoid(notice) && !hasFailed && isHeldFor(orderState, notice, 'no-target');
}

/** A function of the transactions and of time alone. Contract 4.3. */
export function decideOrderSummary(orderState: OrderState, now: Date): OrderSummary {
  const tally = totalOf(orderState);
  const { completing, payments, paid, refunded, refundsPending } = tally;
  const open = payments === 0 ? 'new' : 'pending';
  const unpaid = isOver(orderState, tally, now) ? 'lapsed' : open;
  // Successful and pending refunds exceed what was paid, fees included.
  const flags: ReviewFlag[] = refunded + refundsPending > paid ? ['over_refunded'] : [];
  if (hasUnplacedDispute(orderState)) flags.push('target_unknown');
  return {
    status: completing > 0 ? 'completed' : unpaid,
    attempts: payments,
    flags: withFlags(flags, flagsOfHeld(orderState.held)),
    heldUntilMs: findHeldUntil(orderState),
  };
}

type WithTransactions = Pick<OrderState, 'order' | 'transactions' | 'unloaded'>;

export function totalOf({ order, transactions, unloaded }: WithTransactions): Tally {
  const loaded = tallyOf(transactions, order.amounts);
  return unloaded ? addTally(unloaded.tally, loaded) : loaded;
}

export function countTransactions({ transactions, unloaded }: OrderState): number {
  return transactions.length + (unloaded?.tally.transactions ?? 0);
}

/** An unpaid order lapses when its time is over, or after too many failed attempts. */
export function hasLapsed(orderState: WithTransactions, now: Date): boolean {
  return isOver(orderState, totalOf(orderState), now);
}

/** While a provider holds money for it, an order does not lapse, whatever else failed. Contract 16.2. */
function isOver(orderState: WithTransactions, { failed }: Tally, now: Date): boolean {
  const heldUntilMs = findHeldUntil(orderState);
  if (heldUntilMs !== null && now.getTime() < heldUntilMs) return false;
  return now >= ownLapseOf(orderState.order) || failed >= failedAttemptsMax;
}

/** When the order lapses unless it is paid: at its own time, or when the last hold ends. */
export function lapseTimeOf(orderState: WithTransactions): Date {
  const heldUntilMs = findHeldUntil(orderState);
  return heldUntilMs === null ? ownLapseOf(orderState.order) : new Date(heldUntilMs);
}

/** Payments of an order that is loaded in part were not started here, so they are not held. */
function findHeldUntil({ order, transactions }: WithTransactions): number | null {
  const ends = transactions.flatMap((entry) =>
    entry.type === 'payment' && isHeld(entry) ? (entry.hold?.expiresAtMs ?? []) : [],
  );
  const last = Math.max(...ends);
  return last > ownLapseOf(order).getTime() ? last : null;
}

function relate(orderState: OrderState, transactions: readonly Transaction[]) {
  const { order, announcedDuplicates, operations } = orderState;
  const related = relateTransactions(transactions, order.amounts, announcedDuplicates);
  return relateDisputes({ ...orderState, transactions: relateOperations(related, operations) });
}

function replace(transactions: readonly Transaction[], changed: Transaction): Transaction[] {
  return transactions.map((transaction) =>
    transaction.transactionId === changed.transactionId ? changed : transaction,
  );
}
