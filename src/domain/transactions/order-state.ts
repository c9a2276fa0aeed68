/**
 * The order state: an order with its transactions, and how a notice changes it. Pure: the same set of notices gives
 * the same state in any order of arrival.
 */

import type { Order, OrderStatus } from '../orders/order.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { isHeldFor, regroup } from './group.ts';
import { flagsOfHeld } from './held.ts';
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
  /** Notices that belong to no transaction, or whose transaction cannot be determined. */
  readonly held: readonly HeldNotice[];
};

/** What the transactions determine in the order's own row. Contract 4.3. */
export type OrderSummary = {
  readonly status: OrderStatus;
  readonly attempts: number;
  readonly flags: readonly ReviewFlag[];
};

export type { DeliveredNotice };

const failedAttemptsMax = 15;

/** Adds the notice and folds everything it affects again. */
export function applyNotice<State extends OrderState>(
  orderState: State,
  notice: DeliveredNotice,
): State {
  const { order } = orderState;
  if (notice.payment && isAuthentication(notice.payment))
    return applyAuthentication(orderState, notice);
  const { transactions, held } = regroup(orderState, notice);
  // A repeated notice changes nothing.
  if (transactions === orderState.transactions) return orderState;
  const { provider } = notice;
  const withPayments = showBestAttempts(order, transactions, provider, 'payment');
  const withRefunds = showBestAttempts(order, withPayments, provider, 'refund');
  return { ...orderState, transactions: flagDuplicates(withRefunds, order.amounts), held };
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
  const changed = foldTransaction(
    { ...started, notices: [...started.notices, fresh] },
    order.amounts,
  );
  const replaced = replace(orderState.transactions, changed);
  const transactions = showBestAttempts(order, replaced, provider, 'payment');
  return { ...orderState, transactions: flagDuplicates(transactions, order.amounts) };
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
  const after = flagDuplicates(matched, order.amounts);
  const transaction = after.find(({ transactionId }) => transactionId === started.transactionId);
  return { ...orderState, transactions: after, transaction: transaction ?? fresh };
}

/** True for a void whose target is not known yet, so that it must be parked. A failed void needs no target. */
export function lacksTarget(orderState: OrderState, notice: DeliveredNotice): boolean {
  const hasFailed = notice.payment?.status === 'new' || notice.refund?.status === 'failed';
  return isVoid(notice) && !hasFailed && isHeldFor(orderState, notice, 'no-target');
}

/** A function of the transactions and of time alone. Contract 4.3. */
export function decideOrderSummary(orderState: OrderState, now: Date): OrderSummary {
  const { order, transactions } = orderState;
  const payments = paymentsOf(transactions);
  const status = (): OrderStatus => {
    if (payments.some((payment) => completes(payment, order.amounts))) return 'completed';
    if (hasLapsed(orderState, now)) return 'lapsed';
    return payments.length === 0 ? 'new' : 'pending';
  };
  return { status: status(), attempts: payments.length, flags: orderFlags(orderState) };
}

/** An unpaid order lapses when its time is over, or after too many failed attempts. */
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

/** Flags every successful payment but one as a duplicate. The exception is the earliest that completes the order. */
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

/** True when successful and pending refunds exceed the paid amount, fees included, in the order's currency. */
function isOverRefunded(transactions: readonly Transaction[], { currency }: Expected): boolean {
  const { refunded, pending } = refundSums(transactions, currency);
  const paid = paymentsOf(transactions)
    .filter((payment) => payment.status === 'succeeded' && payment.currency === currency)
    .reduce((sum, { amount }) => sum + (amount ?? 0), 0);
  return refunded + pending > paid;
}

/** The sums in `refund_details`, without the consumer's fees. Contract 4.6, 4.11. */
export function refundSums(transactions: readonly Transaction[], currency: string) {
  const sums = { paid: 0, refunded: 0, pending: 0 };
  for (const entry of transactions) {
    // A refund without a currency is in the order's.
    const own = entry.type === 'refund' ? (entry.currency ?? currency) : entry.currency;
    if (own !== currency) continue;
    if (entry.type === 'refund') {
      sums.refunded += refundAmount(entry, 'succeeded');
      sums.pending += refundAmount(entry, 'pending');
    } else if (entry.status === 'succeeded') sums.paid += netAmount(entry);
  }
  return sums;
}

/** The amount of a refund that has this status. The parts of a split refund count separately. */
export function refundAmount(refund: Refund, status: 'succeeded' | 'pending'): number {
  const parts = refund.parts ?? [{ status: refund.status, amount: refund.amount ?? 0 }];
  return parts
    .filter((part) => part.status === status)
    .reduce((sum, { amount }) => sum + amount, 0);
}
