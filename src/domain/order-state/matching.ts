/**
 * Decides which of a provider's payments or refunds is the one that was started here. Pure, and independent of the
 * order in which notices arrive.
 */
import type { Order } from '../orders/order.ts';
import { foldPayment } from '../payments/fold-payment.ts';
import { foldRefund, type UnfoldedRefund } from '../payments/fold-refund.ts';
import type { PaymentNotice, References, RefundNotice } from '../payments/notice.ts';
import type { Trace } from '../payments/ranking.ts';
import type {
  Expected,
  Payment,
  Refund,
  StartReferences,
  Transaction,
} from '../payments/transaction.ts';
import type { UnfoldedPayment } from '../payments/weigh-payment.ts';
import type { ProviderName } from '../provider-name.ts';
import { isoTimestamp } from '../time.ts';
import { withoutAbsent } from '../without-absent.ts';

export type Unfolded = UnfoldedPayment | UnfoldedRefund;

export type StartedTransaction = Pick<Transaction, 'type' | 'transactionId' | 'provider'> & {
  readonly start: NonNullable<Transaction['start']>;
};

type AnyNotice = PaymentNotice | RefundNotice;

export function paymentsOf(transactions: readonly Transaction[]): Payment[] {
  return transactions.filter((transaction) => transaction.type === 'payment');
}

export function refundsOf(transactions: readonly Transaction[]): Refund[] {
  return transactions.filter((transaction) => transaction.type === 'refund');
}

/**
 * `ordersCreatedHere` is needed for discounts of offers only, which `relate.ts` decides. `trace` takes what set each
 * field.
 */
export function foldTransaction(
  transaction: Unfolded,
  expected: Expected,
  ordersCreatedHere?: ReadonlySet<string>,
  trace?: Trace,
): Transaction {
  return transaction.type === 'payment'
    ? foldPayment(transaction, expected, ordersCreatedHere, trace)
    : foldRefund(transaction, trace);
}

export function toUnfolded(started: StartedTransaction): Unfolded {
  const { type, transactionId, provider, start } = started;
  const common = { transactionId, provider, start, pspTransactionId: null, notices: [] };
  return type === 'payment'
    ? { type, ...common, captures: null, voided: null, capturedLimit: null }
    : { type, ...common, voidedPspIds: null };
}

/** An authentication is about a payment that was started here, and is no payment itself. Contract 6.4. */
export const isAuthentication = (notice: AnyNotice): boolean => notice.record === 'authentication';

/** The references by which a notice may match a started transaction; stored as `names`. */
export function pickStartReferences(references: References): { names?: StartReferences } {
  const { transactionIds, providerOrderId } = references;
  const known = transactionIds.length > 0 ? transactionIds : undefined;
  const names = withoutAbsent({ transactionIds: known, providerOrderId });
  return Object.keys(names).length === 0 ? {} : { names };
}

/**
 * A consumer may make several attempts at the provider for one payment that was started here. The started transaction
 * shows the best attempt; the others are transactions of their own. So a payment that failed and then succeeded is shown
 * as succeeded under the id that the merchant has, in whichever order the two were reported.
 */
export function showBestAttempts(
  order: Pick<Order, 'orderId' | 'amounts'>,
  transactions: readonly Transaction[],
  provider: ProviderName,
  type: Transaction['type'],
): readonly Transaction[] {
  const started = transactions.filter(
    (entry) => entry.start !== null && entry.provider === provider && entry.type === type,
  );
  if (started.length === 0) return transactions;
  let all = transactions;
  let reported = indexReported(all, provider, type);
  for (const entry of started) {
    const after = showBestAttempt(order, all, entry, reported);
    // Rare: at most a few transactions change.
    if (after !== all) reported = indexReported(after, provider, type);
    all = after;
  }
  return all;
}

function showBestAttempt(
  { orderId, amounts }: Pick<Order, 'orderId' | 'amounts'>,
  transactions: readonly Transaction[],
  started: Transaction,
  reported: Reported,
): readonly Transaction[] {
  const authentications = started.notices.filter(isAuthentication);
  const shown = started.notices.filter((notice) => !isAuthentication(notice));
  const attempts = new Set(keysOfStarted(started).flatMap((key) => reported.get(key) ?? []));
  if (attempts.size === 0) return transactions;

  const own = foldTransaction({ ...started, start: null, notices: shown } as Unfolded, amounts);
  const [best = own] = [...attempts, ...(shown.length > 0 ? [own] : [])].sort(bestFirst);
  if (best === own) return transactions;
  const others = transactions.filter((entry) => entry !== best && entry !== started);
  const { transactionId: id, start } = started;
  const notices = [...authentications, ...best.notices];
  const merged = { ...best, transactionId: id, start, notices } as Unfolded;
  const all = [...others, foldTransaction(merged, amounts)];
  if (shown.length === 0) return all;
  // The attempt that was shown before becomes a transaction of its own.
  const startedAt = new Date(start?.atMs ?? 0);
  const transactionId = newTransactionId(orderId, idsOf(all), startedAt, shown);
  return [...all, { ...own, transactionId }];
}

/** The transactions that the provider reported, by what they may have in common with one that was started here. */
type Reported = ReadonlyMap<string, readonly Transaction[]>;

/** An order may have many transactions, so that not every pair of them can be compared. */
function indexReported(
  transactions: readonly Transaction[],
  provider: ProviderName,
  type: Transaction['type'],
): Reported {
  const reported = new Map<string, Transaction[]>();
  const startedRefunds = new Set(
    refundsOf(transactions)
      .filter(({ start }) => start !== null)
      .flatMap(ownKeysOfStarted),
  );
  for (const entry of transactions) {
    if (entry.start || entry.provider !== provider || entry.type !== type) continue;
    for (const key of keysOfReported(entry, startedRefunds)) {
      const known = reported.get(key);
      if (known) known.push(entry);
      else reported.set(key, [entry]);
    }
  }
  return reported;
}

/** A refund request may have several refunds: one that references another started refund is no attempt of it. */
function keysOfReported(entry: Transaction, startedRefunds: ReadonlySet<string>): string[] {
  const references = entry.notices.flatMap((notice) => notice.names ?? []);
  const ids = references.flatMap(({ transactionIds }) => transactionIds ?? []).map(idKey);
  if (entry.type === 'payment') {
    return [...ids, ...references.flatMap((names) => names.providerOrderId ?? []).map(orderKey)];
  }
  const own = entry.pspTransactionId === null ? ids : [...ids, refundKey(entry.pspTransactionId)];
  const isOfStarted = own.some((key) => startedRefunds.has(key));
  if (isOfStarted || entry.refundRequestId === null) return own;
  return [...own, requestKey(entry.refundRequestId)];
}

function keysOfStarted(started: Transaction): string[] {
  const { providerOrderId, refund } = started.start ?? {};
  const own = ownKeysOfStarted(started);
  if (started.type === 'refund') return refund ? [...own, requestKey(refund.requestId)] : own;
  return providerOrderId === undefined ? own : [...own, orderKey(providerOrderId)];
}

function ownKeysOfStarted({ transactionId, start }: Transaction): string[] {
  const pspId = start?.refund?.pspTransactionId;
  return pspId === undefined ? [idKey(transactionId)] : [idKey(transactionId), refundKey(pspId)];
}

const idKey = (transactionId: string) => `id ${transactionId}`;
const orderKey = (providerOrderId: string) => `order ${providerOrderId}`;
const refundKey = (pspTransactionId: string) => `refund ${pspTransactionId}`;
const requestKey = (refundRequestId: string) => `request ${refundRequestId}`;

/** The statuses from best to worst: what a merchant wants to know first. */
const preference: readonly Transaction['status'][] = [
  'succeeded',
  'authorized',
  'pending',
  'reversing',
  'reversed',
  'failed',
  'new',
];

function bestFirst(a: Transaction, b: Transaction): number {
  return (
    preference.indexOf(a.status) - preference.indexOf(b.status) ||
    (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0) ||
    byPspId(a, b)
  );
}

export function byPspId(a: Transaction, b: Transaction): number {
  return (a.pspTransactionId ?? '') < (b.pspTransactionId ?? '') ? -1 : 1;
}

/** A provider's id is unique at this provider only. */
export function pspKeyOf(key: Pick<Transaction, 'provider' | 'pspTransactionId'>): string {
  return `${key.provider} ${key.pspTransactionId}`;
}

/** Also those of its captures: a record may be known before the payment that it belongs to. */
export function pspKeysOf({ provider, pspTransactionId, captures }: Payment): string[] {
  const ids = [pspTransactionId, ...(captures ?? []).map(({ pspId }) => pspId)];
  return ids.map((id) => pspKeyOf({ provider, pspTransactionId: id }));
}

export function idTimeOf(notice: AnyNotice): number | undefined {
  return notice.namedAtMs ?? notice.recordedAtMs ?? notice.startedAtMs ?? notice.occurredAtMs;
}

export function idsOf(transactions: readonly Transaction[]): Set<string> {
  return new Set(transactions.map(({ transactionId }) => transactionId));
}

/**
 * `<order_id>-<yyMMddHHmmss>`, with the next free second if that id is taken. Contract 4.5. The provider's time comes
 * before `startedAt`, so that the id does not depend on the order of arrival.
 */
export function newTransactionId(
  orderId: string,
  taken: ReadonlySet<string>,
  startedAt: Date,
  notices: readonly AnyNotice[] = [],
): string {
  const providerMs = notices.map(idTimeOf).find((time) => time !== undefined);
  // An order may have many payments of one second, so a time is formatted once for each minute.
  for (let second = Math.floor((providerMs ?? startedAt.getTime()) / 1000); ; ) {
    const minute = `${orderId}-${idTimeAt(new Date(second * 1000))}`.slice(0, -2);
    for (let within = second % 60; within < 60; within += 1) {
      const transactionId = `${minute}${within < 10 ? '0' : ''}${within}`;
      if (!taken.has(transactionId)) return transactionId;
      second += 1;
    }
  }
}

/** The end of a transaction id. The year has two digits, so these texts are in the order of time within a century only. */
export const idTimeAt = (at: Date): string => isoTimestamp(at).replaceAll(/\D/g, '').slice(2, 14);
