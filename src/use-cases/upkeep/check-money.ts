/**
 * What must hold for the money of an order, computed from its stored reports and history. The code that it judges (the
 * fold and what relates transactions) is not used here. Pure. Contract 9.11 to 9.14.
 */
import { paymentsOf, refundsOf } from '../../domain/order-state/matching.ts';
import type {
  Payment,
  Refund,
  StoredPaymentNotice,
  StoredRefundNotice,
  Transaction,
} from '../../domain/payments/transaction.ts';
import type { HistoryRecord } from '../../store/orders/history.ts';
import type { Breach } from '../../store/upkeep/invariants.ts';
import type { LockedOrderState } from '../order-state/lock-order-state.ts';

/** Contract 9.11: a refund that was reported as made, in whole or in part, and not voided, has not failed. */
export function checkRefundParts({ transactions }: LockedOrderState): Breach[] {
  return refundsOf(transactions).flatMap((refund) => {
    const { transactionId, status, amount, voidedPspIds } = refund;
    const made = new Map<string, StoredRefundNotice>();
    for (const notice of refund.notices) {
      const isMade = notice.record !== 'void' && notice.status === 'succeeded';
      if (isMade && !voidedPspIds?.includes(notice.pspTransactionId)) {
        made.set(notice.pspTransactionId, notice);
      }
    }
    if (made.size === 0) return [];
    if (status === 'failed') {
      return [{ where: transactionId, what: 'has failed, and a part of it was made' }];
    }
    const reached = sum([...made.values()], (notice) => notice.amount ?? 0);
    const isSplit = (refund.start?.refund?.parts?.length ?? 0) > 1;
    return isSplit && status === 'succeeded' && amount !== reached
      ? [{ where: transactionId, what: `shows ${amount}, and ${reached} were made` }]
      : [];
  });
}

/** Contract 9.12: a discount counts only for a provider's order with the amount of ours. */
export function checkDiscounts({ order, transactions }: LockedOrderState): Breach[] {
  const { total } = order.amounts;
  const created = new Set(transactions.flatMap(({ start }) => start?.providerOrderId ?? []));
  return paymentsOf(transactions).flatMap((payment) => {
    const { transactionId, offerDiscount, notices } = payment;
    if (offerDiscount === null || offerDiscount === 0) return [];
    const isVouchedFor = notices.some(
      (notice) =>
        notice.providerOrderAmount === total || created.has(notice.names?.providerOrderId ?? ''),
    );
    if (isVouchedFor) return [];
    return [{ where: transactionId, what: 'has a discount of an order that is not known' }];
  });
}

/** Contract 9.13: the refunds known here account for what the provider has refunded, or the payment is flagged. */
export function checkRefundTotals({ transactions }: LockedOrderState): Breach[] {
  return [...groupBy(transactions)].flatMap((group) => {
    const payments = paymentsOf(group);
    const reported = group
      .flatMap(({ notices }): readonly AnyNotice[] => notices)
      .flatMap(({ refundedTotal }) => refundedTotal ?? [])
      .reduce((newest, one) => (isNewer(one, newest) ? one : newest), { amount: 0, atMs: -1 });
    const open = payments.filter(({ status }) => status === 'succeeded' || status === 'authorized');
    const known = sum(refundsOf(group), (refund) => accountedFor(refund, reported.atMs));
    const isFlagged = payments.some(({ flags }) => flags.includes('refund_unknown'));
    const [first] = open;
    if (!first || reported.amount <= known || isFlagged) return [];
    const what = `${reported.amount} were refunded, ${known} are known, and it is not flagged`;
    return [{ where: first.transactionId, what }];
  });
}

/** Contract 9.14: one of several successes counts, and a payment that was a duplicate stays one. */
export function checkDuplicates(
  { order, transactions }: LockedOrderState,
  history: readonly HistoryRecord[],
): Breach[] {
  const isDuplicate = ({ flags }: Payment) => flags.includes('duplicate_capture');
  const payments = paymentsOf(transactions);
  const succeeded = payments.filter(({ status }) => status === 'succeeded');
  const flagged = succeeded.filter(isDuplicate);
  const { orderId } = order;
  const breaches: Breach[] = [];
  if (succeeded.length - flagged.length > 1)
    breaches.push({ where: orderId, what: 'has several payments that count' });
  if (payments.length > 0 && payments.every(isDuplicate))
    breaches.push({ where: orderId, what: 'has duplicates only, and no payment that counts' });
  const former = listFormerDuplicates(history);
  for (const payment of succeeded) {
    if (former.has(payment.pspTransactionId) && !isDuplicate(payment))
      breaches.push({ where: payment.transactionId, what: 'was a duplicate, and counts now' });
  }
  return breaches;
}

/** The provider's ids of all payments that were flagged once. A transaction may show another payment later. */
function listFormerDuplicates(history: readonly HistoryRecord[]): ReadonlySet<unknown> {
  const pspIds = new Map<string | null, unknown>();
  const former = new Set<unknown>();
  for (const { transactionId, changes } of history.flatMap(({ entries }) => entries)) {
    const changed = new Map(changes.map(({ field, to }) => [field, to]));
    if (changed.has('pspTransactionId')) pspIds.set(transactionId, changed.get('pspTransactionId'));
    const flags = changed.get('flags');
    if (Array.isArray(flags) && flags.includes('duplicate_capture')) {
      former.add(pspIds.get(transactionId));
    }
  }
  return former;
}

type AnyNotice = StoredPaymentNotice | StoredRefundNotice;

/** The provider's order, or else the payment with its refunds. */
function groupBy(transactions: readonly Transaction[]): Iterable<Transaction[]> {
  const byPspId = new Map<string, string>();
  for (const payment of paymentsOf(transactions)) {
    const ids = [payment.pspTransactionId, ...(payment.captures ?? []).map(({ pspId }) => pspId)];
    for (const id of ids) byPspId.set(`${payment.provider} ${id}`, groupOfPayment(payment));
  }
  const groupOf = (entry: Transaction) =>
    entry.type === 'payment'
      ? groupOfPayment(entry)
      : (byPspId.get(`${entry.provider} ${entry.paymentPspId}`) ??
        `${entry.provider} ${entry.paymentPspOrder ?? entry.paymentPspId}`);
  return Map.groupBy(transactions, groupOf).values();
}

function groupOfPayment({ provider, notices, pspTransactionId }: Payment): string {
  const pspOrder = notices.find((notice) => notice.pspOrder !== undefined)?.pspOrder;
  return `${provider} ${pspOrder ?? pspTransactionId}`;
}

type Total = { readonly amount: number; readonly atMs: number };

function isNewer(a: Total, b: Total): boolean {
  return a.atMs > b.atMs || (a.atMs === b.atMs && a.amount > b.amount);
}

/** What a total of that time includes of a refund that was reported: it may have failed since, or have been made since. */
function accountedFor({ notices, status, amount, finishedAtMs, parts }: Refund, atMs: number) {
  const times = notices.map(({ recordedAtMs }) => recordedAtMs ?? 0);
  if (times.length === 0 || Math.min(...times) > atMs) return 0;
  if (status === 'failed') return (finishedAtMs ?? atMs) >= atMs ? (amount ?? 0) : 0;
  if (!parts) return amount ?? 0;
  const isReported = (pspId: string) =>
    notices.some(({ pspTransactionId }) => pspTransactionId === pspId);
  return sum(parts, (part) =>
    part.status !== 'failed' && isReported(part.pspId) ? part.amount : 0,
  );
}

function sum<Entry>(entries: readonly Entry[], amountOf: (entry: Entry) => number): number {
  return entries.reduce((total, entry) => total + amountOf(entry), 0);
}
