/**
 * Payments and refunds. The state of a transaction is a pure function of the set of its notices,
 * never of the order in which they came: that is the central promise. Decision 4.2.
 */
import type { FailureReason } from './failure.ts';
import type { MinorUnits } from './money.ts';
import {
  type PaymentNotice,
  type PaymentStatus,
  type ProviderName,
  paymentStatuses,
  type RefundNotice,
  type RefundStatus,
  type ReviewFlag,
  refundStatuses,
} from './notice.ts';
import { paymentOfStart, refundOfStart, type Start } from './start.ts';

/**
 * A notice with the key of the delivery that brought it, which breaks ties of time, and with the names
 * by which it may belong to what was started here.
 */
export type Kept<Notice> = Notice & {
  readonly deliveryKey: string;
  readonly names?: StartNames;
};

export type StartNames = {
  readonly transactionIds?: readonly string[];
  readonly providerOrderId?: string;
};

type TransactionBase = {
  readonly transactionId: string;
  readonly provider: ProviderName;
  /** Null for what a provider reported of its own accord. */
  readonly start: Start | null;
  readonly pspTransactionId: string | null;
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
  readonly startedAtMs: number | null;
  readonly recordedAtMs: number | null;
  /** Since when the status is final, by the provider's times. */
  readonly finishedAtMs: number | null;
  readonly message: string | null;
  readonly failure: FailureReason | null;
  readonly flags: readonly ReviewFlag[];
};

export type Payment = TransactionBase & {
  readonly type: 'payment';
  readonly status: PaymentStatus;
  readonly paymentMode: string | null;
  readonly subPaymentMode: Readonly<Record<string, string>> | null;
  readonly paymentArn: string | null;
  readonly paymentAcquirer: string | null;
  readonly customerFee: MinorUnits | null;
  /** Other names of it: the ids of its captures. */
  readonly aliases: readonly string[];
  readonly notices: readonly Kept<PaymentNotice>[];
};

export type Refund = TransactionBase & {
  readonly type: 'refund';
  readonly status: RefundStatus;
  readonly refundRequestId: string | null;
  readonly refundArn: string | null;
  readonly paymentPspId: string | null;
  readonly paymentPspOrder: string | null;
  readonly notices: readonly Kept<RefundNotice>[];
};

export type Transaction = Payment | Refund;

/** What an order expects of a payment. */
export type Expected = { readonly total: MinorUnits; readonly currency: string };

const finalStatuses: ReadonlySet<string> = new Set(['failed', 'succeeded', 'reversed']);

export function isFinal(status: PaymentStatus | RefundStatus): boolean {
  return finalStatuses.has(status);
}

export function foldPayment(
  payment: Pick<Payment, 'transactionId' | 'provider' | 'start' | 'notices'>,
  expected: Expected,
): Payment {
  const { start } = payment;
  const notices = payment.notices.map((notice) => {
    const status = effectiveStatus(notice, payment.notices, expected);
    return status === notice.status ? notice : { ...notice, status };
  });
  const { status, pick, common } = fold(
    start ? [...notices, paymentOfStart(start)] : notices,
    paymentStatuses,
  );
  const folded: Payment = {
    type: 'payment',
    transactionId: payment.transactionId,
    provider: payment.provider,
    start,
    notices: payment.notices,
    ...common,
    startedAtMs: start?.atMs ?? common.startedAtMs,
    status,
    // A payment that an authentication started has its own id only once it is made.
    pspTransactionId: pick(
      'pspTransactionId',
      ({ makesTransaction }) => makesTransaction !== false,
    ),
    paymentMode: pick('paymentMode'),
    subPaymentMode: pick('subPaymentMode'),
    paymentArn: pick('paymentArn'),
    paymentAcquirer: pick('paymentAcquirer'),
    customerFee: pick('customerFee'),
    aliases: sortedOnce(notices.flatMap(({ aliasPspId }) => aliasPspId ?? [])),
  };
  const own = ownFlags(folded, expected);
  return own.length === 0 ? folded : { ...folded, flags: withFlags(folded.flags, own) };
}

export function foldRefund(
  refund: Pick<Refund, 'transactionId' | 'provider' | 'start' | 'notices'>,
): Refund {
  const { start } = refund;
  const notices = start ? [...refund.notices, refundOfStart(start)] : refund.notices;
  const { status, pick, common } = fold(notices, refundStatuses);
  const said = new Set(notices.map((notice) => notice.status));
  const conflict = said.has('failed') && said.has('succeeded');
  return {
    type: 'refund',
    transactionId: refund.transactionId,
    provider: refund.provider,
    start,
    notices: refund.notices,
    ...common,
    // A refund that was asked for has the provider's id only once the provider spoke of it.
    pspTransactionId: pick('pspTransactionId', (notice) => notice.pspTransactionId !== ''),
    startedAtMs: start?.atMs ?? common.startedAtMs,
    status,
    flags: withFlags(common.flags, conflict ? ['refund_conflict'] : []),
    // Ours, where we asked: a provider may have kept a part of it only.
    refundRequestId: start?.refund?.requestId ?? pick('refundRequestId'),
    refundArn: pick('refundArn'),
    paymentPspId: pick('paymentPspId'),
    paymentPspOrder: pick('paymentPspOrder'),
  };
}

/** True when the payment is what the order expects, fees on the consumer's side allowed for. */
export function matchesExpected(payment: Payment, expected: Expected): boolean {
  if (payment.currency !== expected.currency || payment.amount === null) return false;
  if (payment.amount === expected.total) return true;
  return payment.customerFee !== null && payment.amount - payment.customerFee === expected.total;
}

/** Flags as a set in a fixed order, so that equal states are equal. */
export function withFlags(
  flags: readonly ReviewFlag[],
  more: readonly ReviewFlag[],
): readonly ReviewFlag[] {
  return sortedOnce(more.length === 0 ? flags : [...flags, ...more]);
}

function sortedOnce<Text extends string>(texts: readonly Text[]): readonly Text[] {
  return texts.length < 2 ? texts : [...new Set(texts)].sort();
}

/** What a notice counts for, given the others and what is expected. */
function effectiveStatus(
  notice: PaymentNotice,
  all: readonly PaymentNotice[],
  expected: Expected,
): PaymentStatus {
  const { status, voidPspId } = notice;
  if (isPartialCapture(notice, expected)) return 'authorized';
  if (status !== 'reversing' || voidPspId === undefined) return status;
  // A void that was pending and then failed took nothing back.
  const hasFailed = all.some((other) => other.status === 'new' && other.voidPspId === voidPspId);
  return hasFailed ? 'new' : status;
}

/** A capture that has not reached the expected amount leaves the payment authorized. */
function isPartialCapture(notice: PaymentNotice, expected: Expected): boolean {
  const { isCapture, status, amount, currency } = notice;
  if (!isCapture || status !== 'succeeded' || amount === undefined) return false;
  return currency === expected.currency && amount < expected.total;
}

type Foldable = Kept<PaymentNotice> | Kept<RefundNotice>;

/**
 * The status is the highest of all notices; each other member comes from the highest notice that
 * has one, by (rank, provider's time, delivery key).
 */
function fold<N extends Foldable>(notices: readonly N[], ranks: readonly N['status'][]) {
  const rank = (notice: N) => ranks.indexOf(notice.status);
  const highestFirst = [...notices].sort(
    (a, b) =>
      rank(b) - rank(a) ||
      (b.occurredAtMs ?? 0) - (a.occurredAtMs ?? 0) ||
      (b.deliveryKey < a.deliveryKey ? -1 : 1),
  );
  const status = (highestFirst[0]?.status ?? 'new') as N['status'];
  const pick = <Name extends keyof N>(
    name: Name,
    only?: (notice: N) => boolean,
  ): NonNullable<N[Name]> | null => {
    for (const notice of highestFirst) {
      if (notice[name] !== undefined && (!only || only(notice))) return notice[name] ?? null;
    }
    return null;
  };
  const sinceWhen = (notice: N) => (notice.status === status ? notice.statusSinceMs : undefined);
  return {
    status,
    pick,
    common: {
      pspTransactionId: pick('pspTransactionId'),
      amount: pick('amount'),
      currency: pick('currency'),
      startedAtMs: earliest(notices, (notice) => notice.startedAtMs),
      recordedAtMs: earliest(notices, (notice) => notice.recordedAtMs),
      finishedAtMs: isFinal(status) ? earliest(notices, sinceWhen) : null,
      message: pick('message'),
      failure: status === 'failed' ? pick('failure') : null,
      flags: sortedOnce(notices.flatMap((notice) => notice.flags ?? [])),
    },
  };
}

function earliest<N>(notices: readonly N[], timeOf: (notice: N) => number | undefined) {
  let first: number | null = null;
  for (const notice of notices) {
    const time = timeOf(notice);
    if (time !== undefined && (first === null || time < first)) first = time;
  }
  return first;
}

/** What is wrong with a payment by itself, given what the order expects. Decisions 4.3, 4.4. */
function ownFlags(payment: Payment, expected: Expected): ReviewFlag[] {
  if (payment.status === 'reversed' || payment.status === 'reversing') return ['payment_reversed'];
  const isPart = payment.notices.some((notice) => notice.isCapture);
  const isChecked = payment.status === 'succeeded' || (payment.status === 'authorized' && !isPart);
  if (!isChecked || matchesExpected(payment, expected)) return [];
  return [payment.currency === expected.currency ? 'amount_mismatch' : 'currency_mismatch'];
}
