/**
 * The state of a payment out of its notices and of the captures and voids among them. The money that was
 * captured decides, never the last record that arrived. Contract 4.2, 4.8 to 4.11.
 */

import type { MinorUnits } from '../money/money.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { commonFields, earliest, foldNotices } from './fold.ts';
import { type PaymentStatus, paymentStatuses } from './notice.ts';
import { paymentOfStart } from './start.ts';
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
  const told = start ? [...payment.notices, paymentOfStart(start)] : payment.notices;
  const asTold = foldNotices(told, paymentStatuses);
  const authorized = asTold.pick('amount', isSource);
  const base = baseStatus(told, captures ?? []);
  const money = decideMoney(payment, base, authorized, expected);
  const { status } = money;
  const isPlain = told.every(isSource);
  const notices = isPlain ? told : told.map((each) => effective(each, captures ?? [], status));
  const highest = isPlain ? asTold : foldNotices(notices, paymentStatuses);
  const common = commonFields(notices, highest, status);
  const { pick } = highest;
  const amount = money.amount ?? authorized ?? pick('amount', isCapture);
  const currency = money.currency ?? common.currency;
  const customerFee = pick('customerFee');
  const offerId = pick('offerId');
  const offer = { amount, currency, customerFee, offerId, offerDiscount: pick('offerDiscount') };
  // Spelled out: this is built for every delivery, and copying objects is what it would cost.
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
    authorizedAtMs: status === 'authorized' ? authorizedSince(told) : null,
    notices: payment.notices,
  };
  const own = ownFlags(folded, money.isPart === true, expected);
  return own.length === 0 ? folded : { ...folded, flags: withFlags(folded.flags, own) };
}

function isSource({ record }: StoredPaymentNotice): boolean {
  return record === undefined;
}

function isCapture({ record }: StoredPaymentNotice): boolean {
  return record === 'capture';
}

/** What is known without counting money: a capture shows that there was an authorisation. */
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
  /** Where the captures decide it. */
  readonly amount?: MinorUnits;
  readonly currency?: string;
  readonly finishedAtMs?: number | null;
  readonly partialCapture: Payment['partialCapture'];
  /** Part of it was captured for good. */
  readonly isPart?: true;
};

/** Contract 4.9: fully captured, partly captured, or what is left when nothing is. */
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
  const standing = (captures ?? []).filter(({ amount }) => amount > 0);
  const captured = standing.reduce((sum, { amount }) => sum + amount, 0);
  if (captured === 0) {
    // Money was taken, and nobody can tell how much: its currency is off the list.
    if (captures?.some((capture) => isOfUnknownAmount(capture, notices))) return plain('succeeded');
    if (base === 'reversed' || voided === 'done') return plain('reversed');
    return plain(isVoiding ? 'reversing' : base);
  }
  const currency = currencyOf(standing, notices) ?? expected.currency;
  const takenAtMs = latest(standing.map(({ atMs }) => atMs));
  const done = { status: 'succeeded', amount: captured, currency, partialCapture: null } as const;
  const isFull = captured >= fullAmount(authorized, currency, expected);
  if (isFull) return { ...done, finishedAtMs: takenAtMs };
  if (voided === 'done') {
    const finishedAtMs = latest([takenAtMs, voidedSince(notices)]);
    return { ...done, finishedAtMs, isPart: true };
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

/** What has to be captured: the authorisation, or as much of it as the order expects. */
function fullAmount(
  authorized: MinorUnits | null,
  currency: string,
  expected: Expected,
): MinorUnits {
  const wanted = currency === expected.currency ? expected.total : Number.POSITIVE_INFINITY;
  const full = Math.min(authorized ?? Number.POSITIVE_INFINITY, wanted);
  return Number.isFinite(full) ? full : 0;
}

function currencyOf(standing: readonly Capture[], notices: readonly StoredPaymentNotice[]) {
  const ids = new Set(standing.map(({ pspId }) => pspId));
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

/** What a notice counts for when its fields are weighed against those of the others. */
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

/** Contract 4.11: with the offer alone, the discount is what the payment lacks of the order's amount. */
function discountOf(
  offer: Pick<Payment, 'offerId' | 'offerDiscount' | 'amount' | 'currency' | 'customerFee'>,
  expected: Expected,
): MinorUnits | null {
  const { offerId, offerDiscount, amount, currency, customerFee } = offer;
  if (offerDiscount !== null || offerId === null || amount === null) return offerDiscount;
  const lacking = expected.total - (amount - (customerFee ?? 0));
  return currency === expected.currency && lacking > 0 ? lacking : null;
}

/** What is wrong with a payment by itself, given what the order expects. Contract 4.3, 4.4, 4.9. */
function ownFlags(payment: Payment, isPart: boolean, expected: Expected): ReviewFlag[] {
  const { status, captures, currency } = payment;
  if (status === 'reversed' || status === 'reversing') return ['payment_reversed'];
  const isCaptured = status === 'succeeded';
  if (!isCaptured && captures?.some((capture) => capture.status === 'voided')) {
    return ['payment_reversed'];
  }
  const isChecked = isCaptured || (status === 'authorized' && captures === null);
  if (!isChecked || matchesExpected(payment, expected)) return [];
  if (currency !== expected.currency) return ['currency_mismatch'];
  return [isPart ? 'partially_captured' : 'amount_mismatch'];
}
