/**
 * Derives the state of a payment from its notices, including captures and voids. The highest status and the captured
 * amount decide, never the notice that arrived last. Contract 4.2, 4.8 to 4.11.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { commonFields, earliest, foldNotices } from './fold.ts';
import { type PaymentStatus, paymentStatuses } from './notice.ts';
import { paymentNoticeOf } from './start.ts';
import {
  type Capture,
  type Expected,
  isFinal,
  matchesExpected,
  type Payment,
  type StoredPaymentNotice,
  withFlags,
} from './transaction.ts';

export type UnfoldedPayment = Pick<
  Payment,
  | 'type'
  | 'transactionId'
  | 'provider'
  | 'start'
  | 'pspTransactionId'
  | 'captures'
  | 'voided'
  | 'notices'
>;

export function foldPayment(payment: UnfoldedPayment, expected: Expected): Payment {
  const { start, captures } = payment;
  const all = start ? [...payment.notices, paymentNoticeOf(start)] : payment.notices;
  const foldedAll = foldNotices(all, paymentStatuses);
  const authorized = foldedAll.pick('amount', isSource);
  const base = baseStatus(all, captures ?? []);
  const money = decideMoney(payment, base, authorized, expected);
  const { status } = money;
  const isPlain = all.every(isSource);
  const notices = isPlain ? all : all.map((each) => effective(each, captures ?? [], status));
  const highest = isPlain ? foldedAll : foldNotices(notices, paymentStatuses);
  const common = commonFields(notices, highest, status);
  const { pick } = highest;
  const amount = money.amount ?? authorized ?? pick('amount', isCapture);
  const currency = money.currency ?? common.currency;
  const customerFee = pick('customerFee');
  const offerId = pick('offerId');
  const offer = { amount, currency, customerFee, offerId, offerDiscount: pick('offerDiscount') };
  // The fields are listed because this runs for every delivery, and object spread would be slower.
  const folded: Payment = {
    type: 'payment',
    transactionId: payment.transactionId,
    provider: payment.provider,
    start,
    pspTransactionId: payment.pspTransactionId,
    amount,
    currency,
    startedAtMs: start?.atMs ?? common.startedAtMs,
    recordedAtMs: common.recordedAtMs,
    finishedAtMs: isFinal(status) ? (money.finishedAtMs ?? common.finishedAtMs) : null,
    message: common.message,
    failure: common.failure,
    flags: common.flags,
    status,
    paymentMode: pick('paymentMode'),
    subPaymentMode: pick('subPaymentMode'),
    paymentArn: pick('paymentArn'),
    paymentAcquirer: pick('paymentAcquirer'),
    customerFee,
    offerId,
    offerDiscount: discountOf(offer, expected),
    captures,
    voided: payment.voided,
    partialCapture: money.partialCapture,
    authorizedAtMs: status === 'authorized' ? authorizedSince(all) : null,
    notices: payment.notices,
  };
  const own = ownFlags(folded, money.isPartial === true, expected);
  return own.length === 0 ? folded : { ...folded, flags: withFlags(folded.flags, own) };
}

/** True for a notice of the payment or authorisation itself. */
function isSource({ record }: StoredPaymentNotice): boolean {
  return record === undefined;
}

function isCapture({ record }: StoredPaymentNotice): boolean {
  return record === 'capture';
}

/**
 * The highest status of all notices, before money is counted: a failure that arrives after a success ranks lower and
 * changes nothing. A capture implies an authorisation.
 */
function baseStatus(
  notices: readonly StoredPaymentNotice[],
  captures: readonly Capture[],
): PaymentStatus {
  let highest = 0;
  const raise = (status: PaymentStatus) => {
    highest = Math.max(highest, paymentStatuses.indexOf(status));
  };
  for (const { record, status } of notices) {
    if (record === undefined || record === 'authentication') raise(status);
  }
  for (const { status } of captures) {
    raise(status === 'pending' || status === 'failed' ? status : 'authorized');
  }
  return paymentStatuses[highest] ?? 'new';
}

type Money = {
  readonly status: PaymentStatus;
  /** Set when it follows from the captures. */
  readonly amount?: MinorUnits;
  readonly currency?: string;
  readonly finishedAtMs?: number | null;
  readonly partialCapture: Payment['partialCapture'];
  /** Only part of the authorisation was captured, and the rest was released. */
  readonly isPartial?: true;
};

/** Decides by the captured amount: all, a part or nothing of the authorisation. Contract 4.9. */
function decideMoney(
  { captures, voided, notices }: UnfoldedPayment,
  base: PaymentStatus,
  authorized: MinorUnits | null,
  expected: Expected,
): Money {
  const plain = (status: PaymentStatus): Money => ({ status, partialCapture: null });
  const isVoiding = voided === 'pending' || captures?.some(({ status }) => status === 'voiding');
  if (base === 'succeeded') {
    return plain(voided === 'done' ? 'reversed' : voided === 'pending' ? 'reversing' : base);
  }
  const counted = (captures ?? []).filter(({ amount }) => amount > 0);
  const captured = counted.reduce((sum, { amount }) => sum + amount, 0);
  if (captured === 0) {
    // Money was captured in a currency that we do not support, so its amount is not known.
    if (captures?.some((capture) => isOfUnknownAmount(capture, notices))) return plain('succeeded');
    if (base === 'reversed' || voided === 'done') return plain('reversed');
    return plain(isVoiding ? 'reversing' : base);
  }
  const currency = currencyOf(counted, notices) ?? expected.currency;
  const capturedAtMs = latest(counted.map(({ atMs }) => atMs));
  const done = { status: 'succeeded', amount: captured, currency, partialCapture: null } as const;
  const isFull = captured >= fullAmount(authorized, currency, expected);
  if (isFull) return { ...done, finishedAtMs: capturedAtMs };
  if (voided === 'done') {
    const finishedAtMs = latest([capturedAtMs, voidedSince(notices)]);
    return { ...done, finishedAtMs, isPartial: true };
  }
  const open = { amount: authorized ?? captured, currency };
  if (isVoiding) return { ...open, status: 'reversing', partialCapture: null };
  return { ...open, status: 'authorized', partialCapture: { captured, authorized } };
}

function isOfUnknownAmount(
  { pspId, status }: Capture,
  notices: readonly StoredPaymentNotice[],
): boolean {
  const own = notices.filter(({ pspTransactionId }) => pspTransactionId === pspId);
  return status === 'captured' && own.every(({ amount }) => amount === undefined);
}

/** The amount of a full capture: the authorised amount, or the order's total if that is less. */
function fullAmount(
  authorized: MinorUnits | null,
  currency: string,
  expected: Expected,
): MinorUnits {
  const total = currency === expected.currency ? expected.total : Number.POSITIVE_INFINITY;
  const full = Math.min(authorized ?? Number.POSITIVE_INFINITY, total);
  return Number.isFinite(full) ? full : 0;
}

function currencyOf(captures: readonly Capture[], notices: readonly StoredPaymentNotice[]) {
  const ids = new Set(captures.map(({ pspId }) => pspId));
  const own = notices.filter(({ pspTransactionId }) => ids.has(pspTransactionId));
  return foldNotices(own, paymentStatuses).pick('currency') ?? undefined;
}

function latest(times: ReadonlyArray<number | null>): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function voidedSince(notices: readonly StoredPaymentNotice[]): number | null {
  return earliest(notices, ({ record, status, statusSinceMs }) =>
    record?.startsWith('void') && status === 'reversed' ? statusSinceMs : undefined,
  );
}

function authorizedSince(notices: readonly StoredPaymentNotice[]): number | null {
  return earliest(notices, ({ record, status, statusSinceMs, occurredAtMs }) =>
    record === undefined && status === 'authorized' ? (statusSinceMs ?? occurredAtMs) : undefined,
  );
}

/** The notice with the rank it has when fields are picked: a capture without effect must not outrank others. */
function effective(
  notice: StoredPaymentNotice,
  captures: readonly Capture[],
  status: PaymentStatus,
): StoredPaymentNotice {
  const { record } = notice;
  if (record === undefined || record === 'authentication') return notice;
  if (record === 'capture') {
    if (notice.status !== 'succeeded') return notice;
    const own = captures.find(({ pspId }) => pspId === notice.pspTransactionId);
    return own && own.amount > 0 ? notice : { ...notice, status: 'authorized' };
  }
  const isShown = status === notice.status || status === 'reversed';
  return isShown && notice.status !== 'new' ? notice : { ...notice, status: 'new' };
}

/** If only the offer is known, its discount is the difference between the order's amount and the payment. Contract 4.11. */
function discountOf(
  offer: Pick<Payment, 'offerId' | 'offerDiscount' | 'amount' | 'currency' | 'customerFee'>,
  expected: Expected,
): MinorUnits | null {
  const { offerId, offerDiscount, amount, currency, customerFee } = offer;
  if (offerDiscount !== null || offerId === null || amount === null) return offerDiscount;
  const difference = expected.total - (amount - (customerFee ?? 0));
  return currency === expected.currency && difference > 0 ? difference : null;
}

/** The flags that follow from the payment and the order's amount alone. Contract 4.3, 4.4, 4.9. */
function ownFlags(payment: Payment, isPartial: boolean, expected: Expected): ReviewFlag[] {
  const { status, captures, currency } = payment;
  if (status === 'reversed' || status === 'reversing') return ['payment_reversed'];
  const isCaptured = status === 'succeeded';
  if (!isCaptured && captures?.some((capture) => capture.status === 'voided')) {
    return ['payment_reversed'];
  }
  const isChecked = isCaptured || (status === 'authorized' && captures === null);
  if (!isChecked || matchesExpected(payment, expected)) return [];
  if (currency !== expected.currency) return ['currency_mismatch'];
  return [isPartial ? 'partially_captured' : 'amount_mismatch'];
}
