/**
 * How much each capture counts for. Captured money is the sum of the successful captures that were not voided. For
 * captures up to the time of the provider's own total, that sum cannot exceed the total. Contract 4.9.
 */

import type { MinorUnits } from '../money/money.ts';
import { foldNotices } from './fold.ts';
import { type CapturedTotal, paymentStatuses } from './notice.ts';
import {
  type GroupRecords,
  highestStatus,
  type PlacedCapture,
  type PlacedPayment,
  recordedAt,
} from './records.ts';
import type { Capture } from './transaction.ts';

/** The captures of each payment of a group, in the same order as `payments`; null for a payment without captures. */
export function countCaptures(
  payments: readonly PlacedPayment[],
  records: GroupRecords,
): ReadonlyArray<readonly Capture[] | null> {
  if (payments.every(({ captures }) => captures.length === 0)) return payments.map(() => null);
  const amounts = boundedAmounts(payments, newestTotal(records));
  return payments.map(({ captures }) =>
    captures.length === 0
      ? null
      : captures.map((capture) => toCapture(capture, amounts.get(capture.pspId) ?? 0)),
  );
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

/** The newest total; the largest of several with the same time. */
function newestTotal({ payments, refunds }: GroupRecords): CapturedTotal | undefined {
  const totals = [...payments, ...refunds].flatMap(({ capturedTotal }) => capturedTotal ?? []);
  return totals.sort((a, b) => b.atMs - a.atMs || b.amount - a.amount)[0];
}

type CapturedAmount = {
  readonly pspId: string;
  readonly amount: MinorUnits;
  readonly atMs: number;
};

/** Distributes the total over the captures up to its time, oldest first; later captures count in full. */
function boundedAmounts(
  payments: readonly PlacedPayment[],
  total: CapturedTotal | undefined,
): ReadonlyMap<string, MinorUnits> {
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

/** The successful captures that were not voided, or the payment itself if it was made in one step. */
function listCaptured({ pspId, records, captures, voided }: PlacedPayment): CapturedAmount[] {
  const own = records.filter(({ record }) => record === undefined);
  // A payment made in one step cannot be captured again, so captures beside it do not count.
  if (highestStatus(own) === 'succeeded') return voided === null ? [toCaptured(pspId, own)] : [];
  return captures
    .filter((capture) => statusOf(capture.notices, capture.voided) === 'captured')
    .map(({ pspId: id, notices }) => toCaptured(id, notices));
}

function toCaptured(pspId: string, notices: PlacedCapture['notices']): CapturedAmount {
  const amount = foldNotices(notices, paymentStatuses).pick('amount') ?? 0;
  return { pspId, amount, atMs: capturedAt(notices) };
}

/** When the capture succeeded, which may be long after it was recorded as pending. */
function capturedAt(notices: PlacedCapture['notices']): number {
  const times = notices
    .filter((notice) => notice.status === 'succeeded')
    .flatMap(({ statusSinceMs }) => statusSinceMs ?? []);
  return times.length === 0 ? recordedAt(notices) : Math.min(...times);
}
