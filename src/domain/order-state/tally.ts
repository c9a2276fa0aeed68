/**
 * Sums over the transactions of an order. They are all that the order's own row needs of them, and they add up: the
 * tally of an order is that of some of its transactions plus that of the others.
 */
import type { MinorUnits } from '../money/money.ts';
import {
  type Expected,
  matchesExpected,
  type Payment,
  type Refund,
  type Transaction,
} from '../payments/transaction.ts';

const emptyTally = {
  transactions: 0,
  payments: 0,
  failed: 0,
  succeeded: 0,
  /** Successful payments of the expected amount: one of them completes the order. */
  completing: 0,
  /** What was paid in the order's currency, fees included, in minor units like what was refunded. */
  paid: 0,
  refunded: 0,
  refundsPending: 0,
};

export type Tally = Readonly<typeof emptyTally>;

export type StoredTally = Tally & {
  /** The successful payment that is not flagged as a duplicate. */
  readonly countedId: string | null;
};

/** The transactions of a large order that are not loaded. */
export type Unloaded = {
  readonly tally: Tally;
  readonly idsFrom: string;
  readonly transactionIds: ReadonlySet<string>;
  /** Provider and id of the transactions that are loaded, if they exist. */
  readonly pspKeys: ReadonlySet<string>;
};

export function tallyOf(transactions: readonly Transaction[], expected: Expected): Tally {
  const tally = { ...emptyTally, transactions: transactions.length };
  for (const entry of transactions) {
    if (entry.type === 'refund') {
      if ((entry.currency ?? expected.currency) !== expected.currency) continue;
      tally.refunded += refundAmount(entry, 'succeeded');
      tally.refundsPending += refundAmount(entry, 'pending');
      continue;
    }
    tally.payments += 1;
    if (isFailedAttempt(entry)) tally.failed += 1;
    if (entry.status !== 'succeeded') continue;
    tally.succeeded += 1;
    if (completes(entry, expected)) tally.completing += 1;
    if (entry.currency === expected.currency) tally.paid += entry.amount ?? 0;
  }
  return tally;
}

/** With `sign` -1, `b` is subtracted. */
export function addTally(a: Tally, b: Tally, sign: 1 | -1 = 1): Tally {
  const sum = { ...emptyTally };
  for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] = a[name] + sign * b[name];
  return sum;
}

/**
 * Without those that never reached their provider (contract 4.16). A payment that came too late and is refunded stays one
 * of the attempts by which its order lapsed.
 */
export function isFailedAttempt({ status, failure, flags }: Payment): boolean {
  const wasAttempted = failure?.code !== 'PROVIDER_UNAVAILABLE';
  return (status === 'failed' && wasAttempted) || flags.includes('refunded_late_payment');
}

export function completes(payment: Payment, expected: Expected): boolean {
  const { status, flags } = payment;
  return (
    status === 'succeeded' &&
    matchesExpected(payment, expected) &&
    !flags.includes('partially_captured') &&
    !flags.includes('refunded_late_payment')
  );
}

/** The amount of a refund that has this status. The parts of a split refund count separately. */
export function refundAmount(refund: Refund, status: 'succeeded' | 'pending'): MinorUnits {
  if (!refund.parts) return refund.status === status ? (refund.amount ?? 0) : 0;
  return refund.parts
    .filter((part) => part.status === status)
    .reduce((sum, { amount }) => sum + amount, 0);
}

/**
 * How much money a transaction has moved, in the currency of its order. Figures, lists, exports and the sums of refunds
 * all add it up, so that they agree.
 */
export function movedAmount(transaction: Transaction, orderCurrency: string): MinorUnits {
  if (transaction.type === 'refund') {
    // A refund without a currency is in the order's.
    const currency = transaction.currency ?? orderCurrency;
    return currency === orderCurrency ? refundAmount(transaction, 'succeeded') : 0;
  }
  const { status, currency, amount } = transaction;
  return status === 'succeeded' && currency === orderCurrency ? (amount ?? 0) : 0;
}
