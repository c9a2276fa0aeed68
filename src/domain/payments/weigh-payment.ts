/**
 * Weighs the notices of a payment against each other: which status it has, how much of it is money, and the rank of each
 * notice when fields are picked. `fold-payment.ts` builds the payment from it. Contract 4.2, 4.9.
 */
import type { MinorUnits } from '../money/money.ts';
import { countedOf, impliedStatus } from './captures.ts';
import { earliest, pick } from './fold.ts';
import { isVoidRecord, type PaymentStatus } from './notice.ts';
import { findHighest, rankNotices, type Trace, type Weighed } from './ranking.ts';
import { highestStatus, isSource } from './records.ts';
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

export type WeighedPayment = ReturnType<typeof weighPayment>;

export function weighPayment(payment: UnfoldedPayment, expected: Expected, trace?: Trace) {
  const { start } = payment;
  const captures = payment.captures ?? [];
  // The notices of the provider, and our start as one more.
  const all = start ? [...payment.notices, paymentNoticeOf(start)] : payment.notices;
  // By the status that they report; `ranking` is by the rank that they have when fields are picked.
  const reported = rankNotices(all, trace);
  const authorized = pick(reported, 'amount', isSource);
  const base = baseStatus(all, captures);
  const isPartlyApproved = reported.highestFirst.find(isSource)?.isPartlyApproved === true;
  const money = decideMoney(payment, base, authorized, isPartlyApproved, expected);
  const ranking = all.every(isSource)
    ? reported
    : rankNotices(
        all.map((each) => effective(each, captures, money.status)),
        trace,
      );
  return { all, authorized, money, reported, ranking };
}

/**
 * The highest status of all notices, before money is counted: a failure that arrives after a success ranks lower and
 * changes nothing.
 */
function baseStatus(notices: readonly StoredPaymentNotice[], captures: readonly Capture[]) {
  const implied = captures.map((capture) => ({ status: impliedStatus(capture) }));
  const own = notices.filter(({ record }) => record === undefined || record === 'authentication');
  return highestStatus([...implied, ...own]);
}

type Money = {
  readonly status: PaymentStatus;
  readonly rule:
    | 'highest-status'
    | 'paid-in-part'
    | 'captured-unknown-amount'
    | 'captured-in-full'
    | 'captured-in-part'
    | 'captured-and-rest-voided'
    | 'voided'
    | 'void-pending';
  /** Set when it follows from the captures. Until all of it is captured, it is that of the authorisation. */
  readonly amount?: MinorUnits;
  readonly currency?: string;
  readonly finishedAtMs?: number | null;
  readonly partialCapture?: Payment['partialCapture'];
  /** Only part of the payment was approved or captured, and the rest will not be. */
  readonly isPartial?: true;
};

const reversed: Money = { status: 'reversed', rule: 'voided' };
const reversing: Money = { status: 'reversing', rule: 'void-pending' };

/** Decides by the captured amount: all, a part or nothing of the authorisation. Contract 4.9. */
function decideMoney(
  { captures, voided, notices, capturedLimit }: UnfoldedPayment,
  base: PaymentStatus,
  authorized: MinorUnits | null,
  isPartlyApproved: boolean,
  expected: Expected,
): Money {
  const isVoiding = voided === 'pending' || captures?.some(({ status }) => status === 'voiding');
  if (base === 'succeeded') {
    if (voided === null) return decideOneStep(capturedLimit, isPartlyApproved, notices, expected);
    return voided === 'done' ? reversed : reversing;
  }
  const counted = countedOf(captures);
  const captured = counted.reduce((sum, { amount }) => sum + amount, 0);
  if (captured === 0) {
    // Money was captured in a currency that we do not support, so its amount is not known.
    if (captures?.some((capture) => isOfUnknownAmount(capture, notices)))
      return { status: 'succeeded', rule: 'captured-unknown-amount' };
    if (base === 'reversed' || (voided !== 'done' && !isVoiding))
      return { status: base, rule: 'highest-status' };
    return voided === 'done' ? reversed : reversing;
  }
  const currency = findCaptureCurrency(captures, notices)?.currency ?? expected.currency;
  const capturedAtMs = latest(counted.map(({ atMs }) => atMs));
  const done = { status: 'succeeded', amount: captured, currency } as const;
  const isFull = captured >= fullAmount(authorized, currency, expected);
  if (isFull) return { ...done, rule: 'captured-in-full', finishedAtMs: capturedAtMs };
  if (voided === 'done') {
    const voidedAtMs = earliest(notices, (notice) =>
      isVoidRecord(notice) && notice.status === 'reversed' ? notice.statusSinceMs : undefined,
    );
    const finishedAtMs = latest([capturedAtMs, voidedAtMs]);
    return { ...done, rule: 'captured-and-rest-voided', finishedAtMs, isPartial: true };
  }
  const open = { amount: authorized ?? captured, currency };
  if (isVoiding) return { ...reversing, ...open };
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
  const paid: Money = { status: 'succeeded', rule: 'highest-status' };
  const inPart: Money = { status: 'succeeded', rule: 'paid-in-part', isPartial: true };
  if (capturedLimit === null) return isPartlyApproved ? inPart : paid;
  const own = findHighest(rankNotices(notices), 'currency');
  const currency = own?.currency ?? expected.currency;
  const isLess = capturedLimit < fullAmount(null, currency, expected);
  return { ...(isPartlyApproved || isLess ? inPart : paid), amount: capturedLimit };
}

function isOfUnknownAmount({ pspId, status }: Capture, notices: readonly StoredPaymentNotice[]) {
  const own = notices.filter(({ pspTransactionId }) => pspTransactionId === pspId);
  return status === 'captured' && own.every(({ amount }) => amount === undefined);
}

/** The amount of a full capture: the authorised amount, or the order's total if that is less. */
function fullAmount(authorized: MinorUnits | null, currency: string, expected: Expected) {
  const total = currency === expected.currency ? expected.total : Number.POSITIVE_INFINITY;
  const full = Math.min(authorized ?? Number.POSITIVE_INFINITY, total);
  return Number.isFinite(full) ? full : 0;
}

export function findCaptureCurrency(
  captures: readonly Capture[] | null,
  notices: readonly StoredPaymentNotice[],
): StoredPaymentNotice | undefined {
  const ids = new Set(countedOf(captures).map(({ pspId }) => pspId));
  const own = notices.filter(({ pspTransactionId }) => ids.has(pspTransactionId));
  return findHighest(rankNotices(own), 'currency');
}

function latest(times: ReadonlyArray<number | null>): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
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
): Weighed<StoredPaymentNotice> {
  const { record, status: reportedStatus } = notice;
  if (record === undefined || record === 'authentication') return notice;
  if (record === 'capture') {
    if (reportedStatus !== 'succeeded') return notice;
    const own = captures.find(({ pspId }) => pspId === notice.pspTransactionId);
    return own && own.amount > 0 ? notice : { ...notice, status: 'authorized', reportedStatus };
  }
  const isShown = status === reportedStatus || status === 'reversed';
  return isShown && reportedStatus !== 'new'
    ? notice
    : { ...notice, status: 'new', reportedStatus };
}
