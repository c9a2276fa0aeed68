/**
 * An order with all its transactions, and how a notice changes it. Pure: given the same set of
 * notices in any order it ends in the same state.
 */

import type { Order, OrderStatus } from '../orders/order.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { isHeldFor, regroup } from './group.ts';
import { flagsOfHeld } from './held.ts';
import {
  claimOwn,
  foldAnew,
  isAuthentication,
  namesOf,
  paymentsOf,
  type Started,
  type Unfolded,
  unfoldStart,
} from './matching.ts';
import { type DeliveredNotice, isVoid } from './notice.ts';
import type { HeldNotice } from './records.ts';
import {
  type Expected,
  matchesExpected,
  netAmount,
  type Payment,
  type Refund,
  type Transaction,
  withFlags,
} from './transaction.ts';

export type OrderState = {
  readonly order: Pick<Order, 'orderId' | 'amounts' | 'lapsesAt'>;
  readonly transactions: readonly Transaction[];
  /** Notices that belong to no transaction, or nobody can tell to which. */
  readonly held: readonly HeldNotice[];
};

/** What is saved of an order besides its creation. Contract 4.3. */
export type OrderSummary = {
  readonly status: OrderStatus;
  readonly attempts: number;
  readonly flags: readonly ReviewFlag[];
};

export type { DeliveredNotice };

const failedAttemptsMax = 15;

/** The order state with the notice stored and everything it touches folded anew. */
export function applyNotice<Book extends OrderState>(
  orderState: Book,
  notice: DeliveredNotice,
): Book {
  const { order } = orderState;
  if (notice.payment && isAuthentication(notice.payment))
    return applyAuthentication(orderState, notice);
  const { transactions, held } = regroup(orderState, notice);
  // A repeat: nothing was added, so nothing changes.
  if (transactions === orderState.transactions) return orderState;
  const { provider } = notice;
  const withPayments = claimOwn(order, transactions, provider, 'payment');
  const claimed = claimOwn(order, withPayments, provider, 'refund');
  return { ...orderState, transactions: flagDuplicates(claimed, order.amounts), held };
}

/** Contract 6.4: it moves a payment that was started here under the id it names, and makes none. */
function applyAuthentication<Book extends OrderState>(
  orderState: Book,
  notice: DeliveredNotice,
): Book {
  const { payment, provider, deliveryKey, references } = notice;
  const started = paymentsOf(orderState.transactions).find(
    (entry) =>
      entry.start !== null &&
      entry.provider === provider &&
      references.transactionIds.includes(entry.transactionId),
  );
  if (!payment || !started) return orderState;
  if (started.notices.some((known) => known.deliveryKey === deliveryKey)) return orderState;
  const fresh = { ...payment, deliveryKey, ...namesOf(references) };
  const moved = foldAnew(
    { ...started, notices: [...started.notices, fresh] },
    orderState.order.amounts,
  );
  const transactions = replace(orderState.transactions, moved);
  const claimed = claimOwn(orderState.order, transactions, provider, 'payment');
  return { ...orderState, transactions: flagDuplicates(claimed, orderState.order.amounts) };
}

/** The order state with what was asked for here, before any provider reports it; or with more known of it. */
export function storeStart<Book extends OrderState>(
  orderState: Book,
  started: Started,
): Book & { readonly transaction: Transaction } {
  const { order, transactions } = orderState;
  const known = transactions.find(({ transactionId }) => transactionId === started.transactionId);
  const unfolded = known ? { ...known, start: started.start } : unfoldStart(started);
  const fresh = foldAnew(unfolded as Unfolded, order.amounts);
  const all = known ? replace(transactions, fresh) : [...transactions, fresh];
  const after = flagDuplicates(claimOwn(order, all, started.provider, started.type), order.amounts);
  const transaction = after.find(({ transactionId }) => transactionId === started.transactionId);
  return { ...orderState, transactions: after, transaction: transaction ?? fresh };
}

/** A void waits until what it takes back is known; one that failed takes nothing back. */
export function lacksTarget(orderState: OrderState, notice: DeliveredNotice): boolean {
  const hasFailed = notice.payment?.status === 'new' || notice.refund?.status === 'failed';
  return isVoid(notice) && !hasFailed && isHeldFor(orderState, notice, 'no-target');
}

/** Contract 4.3: a pure function of the transactions and of time. */
export function decideOrderState(orderState: OrderState, now: Date): OrderSummary {
  const { order, transactions } = orderState;
  const payments = paymentsOf(transactions);
  const status = (): OrderStatus => {
    if (payments.some((payment) => completes(payment, order.amounts))) return 'completed';
    if (hasLapsed(orderState, now)) return 'lapsed';
    return payments.length === 0 ? 'new' : 'pending';
  };
  return { status: status(), attempts: payments.length, flags: orderFlags(orderState) };
}

/** Time or failed attempts end an order that is not paid. */
export function hasLapsed(
  { order, transactions }: Pick<OrderState, 'order' | 'transactions'>,
  now: Date,
): boolean {
  const failed = paymentsOf(transactions).filter(({ status }) => status === 'failed');
  return now >= order.lapsesAt || failed.length >= failedAttemptsMax;
}

function orderFlags({ order, transactions, held }: OrderState): readonly ReviewFlag[] {
  const flags: ReviewFlag[] = [];
  if (isOverRefunded(transactions, order.amounts)) flags.push('over_refunded');
  return withFlags(flags, flagsOfHeld(held));
}

function completes(payment: Payment, expected: Expected): boolean {
  return payment.status === 'succeeded' && matchesExpected(payment, expected);
}

function replace(transactions: readonly Transaction[], changed: Transaction): Transaction[] {
  return transactions.map((transaction) =>
    transaction.transactionId === changed.transactionId ? changed : transaction,
  );
}

/** Every success but one is a duplicate; the one is the earliest that completes the order. */
export function flagDuplicates(
  transactions: readonly Transaction[],
  expected: Expected,
): readonly Transaction[] {
  const [, ...duplicates] = paymentsOf(transactions)
    .filter(({ status }) => status === 'succeeded')
    .sort(
      (a, b) =>
        Number(completes(b, expected)) - Number(completes(a, expected)) ||
        (a.finishedAtMs ?? 0) - (b.finishedAtMs ?? 0) ||
        ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1),
    );
  return transactions.map((transaction) => {
    const isDuplicate = duplicates.some((payment) => payment === transaction);
    if (isDuplicate === transaction.flags.includes('duplicate_capture')) return transaction;
    const flags = transaction.flags.filter((flag) => flag !== 'duplicate_capture');
    return { ...transaction, flags: withFlags(flags, isDuplicate ? ['duplicate_capture'] : []) };
  });
}

/** Refunds that took or will take more than was paid, fees included, in the order's currency. */
function isOverRefunded(transactions: readonly Transaction[], { currency }: Expected): boolean {
  const { refunded, pending } = refundSums(transactions, currency);
  const paid = paymentsOf(transactions)
    .filter((payment) => payment.status === 'succeeded' && payment.currency === currency)
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);
  return refunded + pending > paid;
}

/** The sums behind `refund_details`, without fees that the consumer bears. Contract 4.6, 4.11. */
export function refundSums(transactions: readonly Transaction[], currency: string) {
  const sums = { paid: 0, refunded: 0, pending: 0 };
  for (const entry of transactions) {
    // A refund that tells no currency is one of the order's.
    const own = entry.type === 'refund' ? (entry.currency ?? currency) : entry.currency;
    if (own !== currency) continue;
    if (entry.type === 'refund') {
      sums.refunded += refundedOf(entry, 'succeeded');
      sums.pending += refundedOf(entry, 'pending');
    } else if (entry.status === 'succeeded') sums.paid += netAmount(entry);
  }
  return sums;
}

/** How much of a refund has the status; the parts of one that was split count each by itself. */
export function refundedOf(refund: Refund, status: 'succeeded' | 'pending'): number {
  const parts = refund.parts ?? [{ status: refund.status, amount: refund.amount ?? 0 }];
  return parts
    .filter((part) => part.status === status)
    .reduce((sum, { amount }) => sum + amount, 0);
}
