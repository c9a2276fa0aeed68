/**
 * Which of a provider's payments or refunds is the one that was started here. Pure, and the same whatever
 * the order in which the notices came.
 */

import type { Order } from '../orders/order.ts';
import type { ProviderName } from '../provider-name.ts';
import { isoTimestamp } from '../time.ts';
import { foldPayment, type UnfoldedPayment } from './fold-payment.ts';
import { foldRefund, type UnfoldedRefund } from './fold-refund.ts';
import type { PaymentNotice, References, RefundNotice } from './notice.ts';
import type { Expected, Payment, Refund, StartNames, Stored, Transaction } from './transaction.ts';

export type Unfolded = UnfoldedPayment | UnfoldedRefund;

/** What was asked for here. */
export type Started = Pick<Transaction, 'type' | 'transactionId' | 'provider'> & {
  readonly start: NonNullable<Transaction['start']>;
};

type Said = PaymentNotice | RefundNotice;

export function paymentsOf(transactions: readonly Transaction[]): Payment[] {
  return transactions.filter((transaction) => transaction.type === 'payment');
}

export function refundsOf(transactions: readonly Transaction[]): Refund[] {
  return transactions.filter((transaction) => transaction.type === 'refund');
}

export function foldAnew(transaction: Unfolded, expected: Expected): Transaction {
  return transaction.type === 'payment'
    ? foldPayment(transaction, expected)
    : foldRefund(transaction);
}

/** A transaction of which nothing is known but that it was started here. */
export function unfoldStart(started: Started): Unfolded {
  const { type, transactionId, provider, start } = started;
  const common = { transactionId, provider, start, pspTransactionId: null, notices: [] };
  return type === 'payment'
    ? { type, ...common, captures: null, voided: null }
    : { type, ...common, voidedPspIds: null };
}

/** An authentication tells something of a payment that was started here, and is none. Contract 6.4. */
export function isAuthentication(said: Said): boolean {
  return said.record === 'authentication';
}

/** The names by which a notice may belong to what was started here. */
export function namesOf({ transactionIds, providerOrderId }: References): { names?: StartNames } {
  const names = {
    ...(transactionIds.length > 0 && { transactionIds }),
    ...(providerOrderId !== undefined && { providerOrderId }),
  };
  return Object.keys(names).length === 0 ? {} : { names };
}

/**
 * A consumer may try several times at the provider what was started once here. What was started shows
 * the best of these tries; the others stand by themselves. So a payment that failed and then went
 * through is shown under the id that the merchant has, in whichever order the two were reported.
 */
export function claimOwn(
  order: Pick<Order, 'orderId' | 'amounts'>,
  transactions: readonly Transaction[],
  provider: ProviderName,
  type: Transaction['type'],
): readonly Transaction[] {
  const started = transactions.filter(
    (entry) => entry.start !== null && entry.provider === provider && entry.type === type,
  );
  if (started.length === 0) return transactions;
  return started.reduce((all, entry) => claim(order, all, entry), transactions);
}

function claim(
  { orderId, amounts }: Pick<Order, 'orderId' | 'amounts'>,
  transactions: readonly Transaction[],
  started: Transaction,
): readonly Transaction[] {
  const passing = started.notices.filter(isAuthentication);
  const tried = started.notices.filter((notice) => !isAuthentication(notice));
  const rivals = transactions.filter((entry) => isOf(entry, started, transactions));
  if (rivals.length === 0) return transactions;

  const own = foldAnew({ ...started, start: null, notices: tried } as Unfolded, amounts);
  const [best = own] = [...rivals, ...(tried.length > 0 ? [own] : [])].sort(bestFirst);
  if (best === own) return transactions;
  const others = transactions.filter((entry) => entry !== best && entry !== started);
  const { transactionId: id, start } = started;
  const notices = [...passing, ...best.notices];
  const claimed = foldAnew({ ...best, transactionId: id, start, notices } as Unfolded, amounts);
  if (tried.length === 0) return [...others, claimed];
  const all = [...others, claimed];
  const transactionId = nameOf(orderId, all, tried, new Date(started.start?.atMs ?? 0));
  return [...all, { ...own, transactionId }];
}

/** One that the provider reported, and that names what was started here. */
function isOf(
  entry: Transaction,
  started: Transaction,
  transactions: readonly Transaction[],
): boolean {
  const { start, transactionId } = started;
  if (!start || entry.start || entry.provider !== started.provider) return false;
  if (entry.type !== started.type) return false;
  const names = entry.notices.flatMap((notice) => notice.names ?? []);
  const named = names.flatMap(({ transactionIds }) => transactionIds ?? []);
  if (named.includes(transactionId)) return true;
  if (entry.type === 'payment') {
    const { providerOrderId } = start;
    return providerOrderId !== undefined
      ? names.some((name) => name.providerOrderId === providerOrderId)
      : false;
  }
  if (entry.pspTransactionId === start.refund?.pspTransactionId) return true;
  const isOfAnother = refundsOf(transactions).some(
    (other) =>
      other.start !== null &&
      (named.includes(other.transactionId) ||
        entry.pspTransactionId === other.start.refund?.pspTransactionId),
  );
  return !isOfAnother && entry.refundRequestId === start.refund?.requestId;
}

/** What a merchant would want to know of several tries. */
const preference: readonly Transaction['status'][] = [
  ...(['succeeded', 'authorized', 'pending'] as const),
  ...(['reversing', 'reversed', 'failed', 'new'] as const),
];

function bestFirst(a: Transaction, b: Transaction): number {
  return (
    preference.indexOf(a.status) - preference.indexOf(b.status) ||
    (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0) ||
    ((a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1)
  );
}

/** A name made of the provider's time, so that no order of arrival can change it. */
export function nameOf(
  orderId: string,
  transactions: readonly Transaction[],
  notices: ReadonlyArray<Said | Stored<Said>>,
  otherwise: Date,
): string {
  const times = notices.map(
    (said) => said.namedAtMs ?? said.recordedAtMs ?? said.startedAtMs ?? said.occurredAtMs,
  );
  const timeMs = times.find((time) => time !== undefined);
  return newTransactionId(orderId, timeMs === undefined ? otherwise : new Date(timeMs), (id) =>
    transactions.some(({ transactionId }) => transactionId === id),
  );
}

/** `<order_id>-<yyMMddHHmmss>`, the next free second when taken. Contract 4.5. */
export function newTransactionId(
  orderId: string,
  start: Date,
  isTaken: (transactionId: string) => boolean,
): string {
  for (let second = Math.floor(start.getTime() / 1000); ; second += 1) {
    const time = isoTimestamp(new Date(second * 1000));
    const date = `${time.slice(2, 4)}${time.slice(5, 7)}${time.slice(8, 10)}`;
    const clock = `${time.slice(11, 13)}${time.slice(14, 16)}${time.slice(17, 19)}`;
    const transactionId = `${orderId}-${date}${clock}`;
    if (!isTaken(transactionId)) return transactionId;
  }
}
