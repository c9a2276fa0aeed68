/**
 * How much each capture counts for. Captured money is the sum of the captures that stand, and never more
 * than the provider's own total: the total bounds what was captured up to its time. Contract 4.9.
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

/** The captures of each payment of a group, in the order of the payments. */
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
  return { pspId, amount: status === 'captured' ? amount : 0, status, atMs: takenAt(notices) };
}

function statusOf(notices: PlacedCapture['notices'], voided: PlacedCapture['voided']) {
  const status = highestStatus(notices);
  if (status !== 'succeeded') return status === 'failed' ? 'failed' : 'pending';
  return voided === null ? 'captured' : voided === 'done' ? 'voided' : 'voiding';
}

/** The newest total, and of several as new the largest. */
function newestTotal({ payments, refunds }: GroupRecords): CapturedTotal | undefined {
  const totals = [...payments, ...refunds].flatMap(({ capturedTotal }) => capturedTotal ?? []);
  return totals.sort((a, b) => b.atMs - a.atMs || b.amount - a.amount)[0];
}

type Taken = { readonly pspId: string; readonly amount: MinorUnits; readonly atMs: number };

/** The total is shared out among what it covers, oldest first; what came after it counts by itself. */
function boundedAmounts(
  payments: readonly PlacedPayment[],
  total: CapturedTotal | undefined,
): ReadonlyMap<string, MinorUnits> {
  const taken = payments
    .flatMap(takenOf)
    .sort((a, b) => a.atMs - b.atMs || (a.pspId < b.pspId ? -1 : 1));
  const amounts = new Map<string, MinorUnits>();
  let left = total?.amount ?? Number.POSITIVE_INFINITY;
  for (const { pspId, amount, atMs } of taken) {
    const isCovered = total === undefined || atMs <= total.atMs;
    const counted = isCovered ? Math.min(amount, left) : amount;
    if (isCovered) left -= counted;
    amounts.set(pspId, counted);
  }
  return amounts;
}

/** Every capture that stands, and a payment that was made in one step. */
function takenOf({ pspId, records, captures, voided }: PlacedPayment): Taken[] {
  const own = records.filter(({ record }) => record === undefined);
  // What was taken in one step cannot be captured again: a capture beside it takes nothing of it.
  if (highestStatus(own) === 'succeeded') return voided === null ? [toTaken(pspId, own)] : [];
  return captures
    .filter((capture) => statusOf(capture.notices, capture.voided) === 'captured')
    .map(({ pspId: id, notices }) => toTaken(id, notices));
}

function toTaken(pspId: string, notices: PlacedCapture['notices']): Taken {
  const amount = foldNotices(notices, paymentStatuses).pick('amount') ?? 0;
  return { pspId, amount, atMs: takenAt(notices) };
}

/** When it took the money, which may be long after it was recorded as pending. */
function takenAt(notices: PlacedCapture['notices']): number {
  const times = notices
    .filter((notice) => notice.status === 'succeeded')
    .flatMap(({ statusSinceMs }) => statusSinceMs ?? []);
  return times.length === 0 ? recordedAt(notices) : Math.min(...times);
}
