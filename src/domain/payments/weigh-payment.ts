/**
 * Weighs the notices of a payment against each other: which status it has, how much of it is money, and the rank of each
 * notice when fields are picked. `fold-payment.ts` builds the payment from it, `why/` explains it. Contract 4.2, 4.9.
 */
import type { MinorUnits } from '../money/money.ts';
import { earliest, type Folded, foldNotices } from './fold.ts';
import { type PaymentStatus, paymentStatuses } from './notice.ts';
import { paymentNoticeOf } from './start.ts';
import type { Capture, Expected, Payment, StoredPaymentNotice } from './transaction.ts';

export type UnfoldedPayment = Pick<
  Payment,
  | 'type'
  | 'transactionId'
  | 'provider'
  | 'start'
  | 'pspTransactionId'
  | 'captures'
  | 'voided'
  | 'capturedLimit'
  | 'notices'
>;

export type WeighedPayment = {
  /** The notices of the provider, and our start as one more. */
  readonly all: readonly StoredPaymentNotice[];
  readonly rankedAll: Folded<StoredPaymentNotice>;
  /** The amount of the payment or authorisation itself. */
  readonly authorized: MinorUnits | null;
  readonly money: Money;
  /** The same notices with the rank that they have when fields are picked. */
  readonly notices: readonly StoredPaymentNotice[];
  readonly ranked: Folded<StoredPaymentNotice>;
};

export function weighPayment(payment: UnfoldedPayment, expected: Expected): WeighedPayment {
  const { start, captures } = payment;
  const all = start ? [...payment.notices, paymentNoticeOf(start)] : payment.notices;
  const rankedAll = foldNotices(all, paymentStatuses);
  const authorized = rankedAll.pick('amount', isSource);
  const base = baseStatus(all, captures ?? []);
  const isPartlyApproved = rankedAll.highestFirst.find(isSource)?.isPartlyApproved === true;
  const money = decideMoney(payment, base, authorized, isPartlyApproved, expected);
  const isPlain = all.every(isSource);
  const notices = isPlain ? all : all.map((each) => effective(each, captures ?? [], money.status));
  const ranked = isPlain ? rankedAll : foldNotices(notices, paymentStatuses);
  return { all, rankedAll, authorized, money, notices, ranked };
}

/** True for a notice of the payment or authorisation itself. */
export function isSource({ record }: StoredPaymentNotice): boolean {
  return record === undefined;
}

export function isCapture({ record }: StoredPaymentNotice): boolean {
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

/** What decides the status of a payment. */
export type StatusRule =
  | 'highest-status'
  | 'captured-in-full'
  | 'captured-in-part'
  | 'captured-and-rest-voided'
  | 'captured-unknown-amount'
  | 'paid-in-part'
  | 'voided'
  | 'void-pending';

type Money = {
  readonly status: PaymentStatus;
  readonly rule: StatusRule;
  /** Set when it follows from the captures. */
  readonly amount?: MinorUnits;
  readonly currency?: string;
  readonly finishedAtMs?: number | null;
  readonly partialCapture: Payment['partialCapture'];
  /** Only part of the payment was approved or captured, and the rest will not be. */
  readonly isPartial?: true;
};

/** Decides by the captured amount: all, a part or nothing of the authorisation. Contract 4.9. */
function decideMoney(
  { captures, voided, notices, capturedLimit }: UnfoldedPayment,
  base: PaymentStatus,
  authorized: MinorUnits | null,
  isPartlyApproved: boolean,
  expected: Expected,
): Money {
  const plain = (rule: StatusRule, status: PaymentStatus): Money => ({
    status,
    rule,
    partialCapture: null,
  });
  const isVoiding = voided === 'pending' || captures?.some(({ status }) => status === 'voiding');
  if (base === 'succeeded') {
    if (voided === null) return decideOneStep(capturedLimit, isPartlyApproved, notices, expected);
    return voided === 'done' ? plain('voided', 'reversed') : plain('void-pending', 'reversing');
  }
  const counted = (captures ?? []).filter(({ amount }) => amount > 0);
  const captured = counted.reduce((sum, { amount }) => sum + amount, 0);
  if (captured === 0) {
    // Money was captured in a currency that we do not support, so its amount is not known.
    if (captures?.some((capture) => isOfUnknownAmount(capture, notices)))
      return plain('captured-unknown-amount', 'succeeded');
    if (base === 'reversed') return plain('highest-status', base);
    if (voided === 'done') return plain('voided', 'reversed');
    return isVoiding ? plain('void-pending', 'reversing') : plain('highest-status', base);
  }
  const currency = findCaptureCurrency(counted, notices)?.currency ?? expected.currency;
  const capturedAtMs = latest(counted.map(({ atMs }) => atMs));
  const done = { status: 'succeeded', amount: captured, currency, partialCapture: null } as const;
  const isFull = captured >= fullAmount(authorized, currency, expected);
  if (isFull) return { ...done, rule: 'captured-in-full', finishedAtMs: capturedAtMs };
  if (voided === 'done') {
    const finishedAtMs = latest([capturedAtMs, voidedSince(notices)]);
    return { ...done, rule: 'captured-and-rest-voided', finishedAtMs, isPartial: true };
  }
  const open = { amount: authorized ?? captured, currency };
  if (isVoiding)
    return { ...open, status: 'reversing', rule: 'void-pending', partialCapture: null };
  const partialCapture = { captured, authorized };
  return { ...open, status: 'authorized', rule: 'captured-in-part', partialCapture };
}

/** A payment made in one step has no later capture, so a part of it is final. Contract 4.17. */
function decideOneStep(
  capturedLimit: MinorUnits | null,
  isPartlyApproved: boolean,
  notices: readonly StoredPaymentNotice[],
  expected: Expected,
): Money {
  const paid = { status: 'succeeded', partialCapture: null } as const;
  const inPart = { ...paid, rule: 'paid-in-part', isPartial: true } as const;
  if (capturedLimit === null)
    return isPartlyApproved ? inPart : { ...paid, rule: 'highest-status' };
  const currency = foldNotices(notices, paymentStatuses).pick('currency') ?? expected.currency;
  const isLess = capturedLimit < fullAmount(null, currency, expected);
  return isPartlyApproved || isLess
    ? { ...inPart, amount: capturedLimit }
    : { ...paid, rule: 'highest-status', amount: capturedLimit };
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

/** The notice that sets the currency of the captured money. */
export function findCaptureCurrency(
  captures: readonly Capture[],
  notices: readonly StoredPaymentNotice[],
): StoredPaymentNotice | undefined {
  const ids = new Set(captures.map(({ pspId }) => pspId));
  const own = notices.filter(({ pspTransactionId }) => ids.has(pspTransactionId));
  return foldNotices(own, paymentStatuses).find('currency');
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

export function authorizedSince(notices: readonly StoredPaymentNotice[]): number | null {
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
