/**
 * How much each capture counts for. Captured money is the sum of the successful captures that were not voided. For
 * captures up to the time of the provider's own total, that sum cannot exceed the total. Contract 4.9.
 */
import type { MinorUnits } from '../money/money.ts';
import type { PaymentStatus, Total } from './notice.ts';
import { findHighest, rankNotices } from './ranking.ts';
import {
  type GroupRecords,
  highestStatus,
  isOneStep,
  isSource,
  type PlacedCapture,
  type PlacedPayment,
  recordedAt,
} from './records.ts';
import type { Capture } from './transaction.ts';

/** The payments of a group as they are folded, in the same order, with what each capture counts for. */
export function countCaptures(payments: readonly PlacedPayment[], records: GroupRecords) {
  const total = newestTotal(totalsOf(records));
  const hasCaptures = payments.some(({ captures }) => captures.length > 0);
  const amounts =
    hasCaptures || total ? boundedAmounts(payments, total) : new Map<string, MinorUnits>();
  const captured = [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
  // Another capture was not reported yet. Until it is known, it is not known what a void left of an authorisation.
  const lacksCapture = captured < (total?.amount ?? 0);
  return payments.map((payment) => {
    const { pspId, records: notices, captures, voided } = payment;
    const isOpen = lacksCapture && highestStatus(notices.filter(isSource)) === 'authorized';
    return {
      type: 'payment' as const,
      pspTransactionId: pspId,
      notices,
      captures:
        captures.length === 0
          ? null
          : captures.map((capture) => toCapture(capture, amounts.get(capture.pspId) ?? 0)),
      /** Set if the total limits a payment that was made in one step. Contract 4.17. */
      capturedLimit: findLimit(payment, amounts.get(pspId)),
      voided: isOpen ? null : voided,
    };
  });
}

function findLimit({ pspId, records }: PlacedPayment, counted: MinorUnits | undefined) {
  if (counted === undefined) return null;
  return counted < toCaptured(pspId, records.filter(isSource)).amount ? counted : null;
}

function toCapture({ pspId, notices, voided }: PlacedCapture, amount: MinorUnits): Capture {
  const status = statusOf(notices, voided);
  return { pspId, amount: status === 'captured' ? amount : 0, status, atMs: capturedAt(notices) };
}

function statusOf(notices: PlacedCapture['notices'], voided: PlacedCapture['voided']) {
  const status = highestStatus(notices);
  if (status !== 'succeeded') return status === 'failed' ? 'failed' : 'pending';
  return voided === null ? 'captured' : voided === 'done' ? 'voided' : 'voiding';
}

/**
 * The record of a capture outweighs that of its authorisation or of a failed attempt, whatever their clocks say: those
 * moved no money. Contract 4.17.
 */
function totalsOf({ payments, refunds }: GroupRecords): Total[] {
  const movedMoney = payments.filter(
    ({ record, status }) => record !== undefined || status === 'succeeded',
  );
  return [...movedMoney, ...refunds].flatMap(({ capturedTotal }) => capturedTotal ?? []);
}

/** The newest total; the largest of several with the same time. */
export function newestTotal(totals: readonly Total[]): Total | undefined {
  return totals.toSorted((a, b) => b.atMs - a.atMs || b.amount - a.amount)[0];
}

/** Distributes the total over the captures up to its time, oldest first; later captures count in full. */
function boundedAmounts(payments: readonly PlacedPayment[], total: Total | undefined) {
  const captured = payments
    .flatMap(listCaptured)
    .sort((a, b) => a.atMs - b.atMs || (a.pspId < b.pspId ? -1 : 1));
  const amounts = new Map<string, MinorUnits>();
  let left = total?.amount ?? Number.POSITIVE_INFINITY;
  for (const { pspId, amount, atMs } of captured) {
    const isCovered = total === undefined || atMs <= total.atMs;
    const counted = isCovered ? Math.min(amount, left) : amount;
    if (isCovered) left -= counted;
    amounts.set(pspId, counted);
  }
  return amounts;
}

function listCaptured({ pspId, records, captures, voided }: PlacedPayment) {
  // A payment made in one step cannot be captured again, so captures beside it do not count.
  if (isOneStep(records))
    return voided === null ? [toCaptured(pspId, records.filter(isSource))] : [];
  return captures
    .filter((capture) => statusOf(capture.notices, capture.voided) === 'captured')
    .map(({ pspId: id, notices }) => toCaptured(id, notices));
}

function toCaptured(pspId: string, notices: PlacedCapture['notices']) {
  const amount = findAmountOf(notices)?.amount ?? 0;
  return { pspId, amount, atMs: capturedAt(notices) };
}

/** What a capture says about its payment: something to capture was authorised. */
export function impliedStatus({ status }: Capture): PaymentStatus {
  return status === 'pending' || status === 'failed' ? status : 'authorized';
}

export function countedOf(captures: readonly Capture[] | null): Capture[] {
  return (captures ?? []).filter(({ amount }) => amount > 0);
}

export function findAmountOf(notices: PlacedCapture['notices']) {
  return findHighest(rankNotices(notices), 'amount');
}

/** When the capture succeeded, which may be long after it was recorded as pending. */
function capturedAt(notices: PlacedCapture['notices']): number {
  const times = notices
    .filter((notice) => notice.status === 'succeeded')
    .flatMap(({ statusSinceMs }) => statusSinceMs ?? []);
  return times.length === 0 ? recordedAt(notices) : Math.min(...times);
}
