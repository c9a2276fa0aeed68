/**
 * What follows from the transactions of an order together: discounts of offers, refunds that the provider knows and we do
 * not, and which payment pays for the order. Pure. Contract 4.11, 4.15, 4.17.
 */
import type { MinorUnits } from '../money/money.ts';
import { newestTotal } from '../payments/captures.ts';
import { earliest } from '../payments/fold.ts';
import { foldPayment } from '../payments/fold-payment.ts';
import type { Total } from '../payments/notice.ts';
import {
  type Expected,
  type Payment,
  type Refund,
  setFlag,
  type Transaction,
} from '../payments/transaction.ts';
import { byPspId, paymentsOf, pspKeyOf, refundsOf } from './matching.ts';
import { linkRefunds } from './refund-links.ts';
import { completes, refundAmount } from './tally.ts';

/** `announced`: the payments that were announced as duplicates (see `listAnnounced`). */
export function relateTransactions(
  transactions: readonly Transaction[],
  expected: Expected,
  announced: readonly string[] = [],
): readonly Transaction[] {
  const discounted = applyDiscounts(transactions, expected);
  return flagDuplicates(flagRefundedLate(findUnknownRefunds(discounted)), expected, announced);
}

/** The provider's ids of the orders that this service created there. */
export function ordersCreatedHere(transactions: readonly Transaction[]): ReadonlySet<string> {
  return new Set(transactions.flatMap(({ start }) => start?.providerOrderId ?? []));
}

/** A payment may be of an order that another payment of this order created at the provider. */
function applyDiscounts(transactions: readonly Transaction[], expected: Expected) {
  const isOffer = (entry: Transaction): entry is Payment =>
    entry.type === 'payment' && entry.offerId !== null;
  if (!transactions.some(isOffer)) return transactions;
  const created = ordersCreatedHere(transactions);
  return transactions.map((entry) =>
    isOffer(entry) ? foldPayment(entry, expected, created) : entry,
  );
}

/** Payments with captured money: a provider may have refunded some of it without our knowing. */
const refundableStatuses: readonly Payment['status'][] = ['authorized', 'succeeded'];

function findUnknownRefunds(transactions: readonly Transaction[]): readonly Transaction[] {
  const payments = paymentsOf(transactions);
  const hasTotal = transactions.some(({ notices }) =>
    notices.some(({ refundedTotal }) => (refundedTotal?.amount ?? 0) > 0),
  );
  const isFlagged = payments.some(({ unknownRefunds }) => unknownRefunds !== null);
  if (!hasTotal && !isFlagged) return transactions;
  const { listRefundsOf } = linkRefunds(transactions);
  const unknown = new Map<Payment, MinorUnits | null>();
  for (const group of Map.groupBy(payments, groupOf).values()) {
    const own = group.filter(({ status }) => refundableStatuses.includes(status));
    const [first] = own.toSorted(byPspId);
    // Any report of the provider's order has its total, that of a failed attempt too.
    if (first) unknown.set(first, unknownRefundsOf(group, group.flatMap(listRefundsOf)));
  }
  return transactions.map((entry) =>
    entry.type === 'payment' ? withUnknownRefunds(entry, unknown.get(entry) ?? null) : entry,
  );
}

/** A provider that groups payments into an order of its own reports the total of that order. */
function groupOf({ provider, notices, pspTransactionId }: Payment): string {
  const pspOrder = notices.find((notice) => notice.pspOrder !== undefined)?.pspOrder;
  return `${provider} ${pspOrder ?? pspTransactionId}`;
}

/**
 * Null if the refunds that the provider reported account for its newest total. Otherwise what is withheld: refunds that
 * were requested here and not reported yet are not available anyway.
 */
function unknownRefundsOf(payments: readonly Payment[], refunds: readonly Refund[]) {
  const totals = [...payments, ...refunds].flatMap(({ status, notices }) =>
    notices
      .flatMap(({ refundedTotal }) => refundedTotal ?? [])
      // A declined attempt may report zero whatever else was refunded.
      .filter(({ amount }) => amount > 0 || status !== 'failed'),
  );
  const total = newestTotal(totals);
  if (!total) return null;
  const missing = total.amount - refunds.reduce((sum, entry) => sum + amountIn(total, entry), 0);
  if (missing <= 0) return null;
  const requested = refunds.filter(({ notices }) => notices.length === 0);
  const open = requested.reduce((sum, entry) => sum + refundAmount(entry, 'pending'), 0);
  return Math.max(0, missing - open);
}

/** What a total includes of a refund: nothing if the provider made it later, and all of it if it failed later. */
function amountIn({ atMs }: Total, refund: Refund): MinorUnits {
  const { notices, finishedAtMs, status, amount, parts } = refund;
  const madeAtMs = earliest(notices, ({ recordedAtMs }) => recordedAtMs ?? 0);
  if (madeAtMs === null || madeAtMs > atMs) return 0;
  if (status === 'failed') return (finishedAtMs ?? atMs) >= atMs ? (amount ?? 0) : 0;
  if (!parts) return amount ?? 0;
  const reported = new Set(notices.map(({ pspTransactionId }) => pspTransactionId));
  return parts
    .filter((part) => reported.has(part.pspId) && part.status !== 'failed')
    .reduce((sum, part) => sum + part.amount, 0);
}

function withUnknownRefunds(payment: Payment, unknownRefunds: MinorUnits | null): Payment {
  if (payment.unknownRefunds === unknownRefunds) return payment;
  return setFlag({ ...payment, unknownRefunds }, 'refund_unknown', unknownRefunds !== null);
}

/** A late payment that is refunded pays for nothing, whatever becomes of the refund. Contract 19.3. */
function flagRefundedLate(transactions: readonly Transaction[]): readonly Transaction[] {
  const late = refundsOf(transactions).filter(({ start }) => start?.refund?.isLate);
  if (late.length === 0) return transactions;
  const refunded = new Set(late.map(linkRefunds(transactions).findPaymentOf));
  return transactions.map((entry) =>
    entry.type === 'payment' ? setFlag(entry, 'refunded_late_payment', refunded.has(entry)) : entry,
  );
}

/** The payments that are flagged in a stored state. They stay duplicates: a shop may have refunded them. Contract 4.17. */
export function listAnnounced(transactions: readonly Transaction[]): readonly string[] {
  return transactions.filter(({ flags }) => flags.includes('duplicate_capture')).map(pspKeyOf);
}

/**
 * Flags every successful payment but one as a duplicate. The exception is the first that completes the order; of a large
 * order it is always loaded. One that was announced as a duplicate stays one in every status: it may succeed again.
 */
export function flagDuplicates(
  transactions: readonly Transaction[],
  expected: Expected,
  announced: readonly string[],
): readonly Transaction[] {
  const isAnnounced = (payment: Payment) =>
    announced.length > 0 && announced.includes(pspKeyOf(payment));
  let counted: Payment | undefined;
  for (const entry of transactions) {
    if (entry.type === 'refund' || entry.status !== 'succeeded' || isAnnounced(entry)) continue;
    if (!counted || isCountedBefore(entry, counted, expected)) counted = entry;
  }
  return transactions.map((transaction) => {
    const isDuplicate =
      transaction.type === 'payment' &&
      (isAnnounced(transaction) || (transaction.status === 'succeeded' && transaction !== counted));
    return setFlag(transaction, 'duplicate_capture', isDuplicate);
  });
}

function isCountedBefore(a: Payment, b: Payment, expected: Expected): boolean {
  const order =
    Number(completes(b, expected)) - Number(completes(a, expected)) ||
    succeededAtMs(a) - succeededAtMs(b);
  return order < 0 || (order === 0 && byPspId(a, b) < 0);
}

/** The provider's time of the success. A poll may not report it; then that of the payment, or of our own call. */
export function succeededAtMs({ finishedAtMs, recordedAtMs, startedAtMs }: Payment): number {
  return finishedAtMs ?? recordedAtMs ?? startedAtMs ?? 0;
}
