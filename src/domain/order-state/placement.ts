/**
 * Decides which payment or refund each record of a provider belongs to. All records of a group are placed again each
 * time, so the result depends on the set of records and never on their order of arrival. Contract 4.9.
 */

import {
  type GroupRecords,
  type HeldRecord,
  highestStatus,
  type ImpliedPayment,
  isVoidRecord,
  oldestFirst,
  ownId,
  type PaymentWithCaptures,
  type PlacedPayment,
  type PlacedRefund,
  targetsOf,
} from '../payments/records.ts';
import type { StoredPaymentNotice } from '../payments/transaction.ts';
import { placeRefunds } from './place-refunds.ts';
import { placeVoids } from './place-voids.ts';

type Placement = {
  readonly payments: readonly PlacedPayment[];
  readonly refunds: readonly PlacedRefund[];
  readonly held: readonly HeldRecord[];
};

/** `refundIds` maps the provider's id of each part of a split refund to that of the refund. */
export function placeRecords(
  { payments: notices, refunds }: GroupRecords,
  refundIds: ReadonlyMap<string, string>,
): Placement {
  const held: HeldRecord[] = [];
  const payments = placeCaptures(notices, held);
  const implied = findImpliedPayment(payments);
  const voids = notices.filter(isVoidRecord);
  return {
    payments: placeVoids(payments, voids, implied, held),
    refunds: placeRefunds(payments, refunds, refundIds, implied, held),
    held,
  };
}

/** Assigns captures to their authorisation or payment. */
function placeCaptures(
  notices: readonly StoredPaymentNotice[],
  held: HeldRecord[],
): PaymentWithCaptures[] {
  const ofRecord = (record: StoredPaymentNotice['record']) =>
    Map.groupBy(
      notices.filter((notice) => notice.record === record),
      ownId,
    );
  const sources = ofRecord(undefined);
  const captures = ofRecord('capture');
  const payments = new Map<string, PaymentWithCaptures>();
  const open = (pspId: string): PaymentWithCaptures => {
    const payment = payments.get(pspId) ?? {
      pspId,
      sources: sources.get(pspId) ?? [],
      captures: new Map(),
    };
    payments.set(pspId, payment);
    return payment;
  };
  for (const pspId of sources.keys()) open(pspId);

  const untargeted: Array<[string, StoredPaymentNotice[]]> = [];
  for (const [pspId, own] of captures) {
    const [target, ...others] = targetsOf(own);
    if (others.length > 0 || sources.has(pspId)) {
      held.push(...own.map((payment) => ({ hold: 'contradictory', payment }) as const));
    } else if (target === undefined || captures.has(target)) {
      // A capture whose target is another capture has no valid target: only a payment can be captured.
      untargeted.push([pspId, own]);
    } else open(target).captures.set(pspId, own);
  }
  placeUntargeted([...payments.values()], untargeted.sort(oldestFirst), open, held);
  return [...payments.values()];
}

/**
 * Captures without a target belong to the only payment that did not fail. If no payment is known yet, they form one:
 * the money was captured, whether its authorisation was reported or not.
 */
function placeUntargeted(
  payments: readonly PaymentWithCaptures[],
  captures: ReadonlyArray<readonly [string, StoredPaymentNotice[]]>,
  open: (pspId: string) => PaymentWithCaptures,
  held: HeldRecord[],
): void {
  const [first] = captures;
  if (!first) return;
  const implied = findImpliedPayment(payments);
  if (implied === 'ambiguous') {
    const notices = captures.flatMap(([, own]) => own);
    held.push(...notices.map((payment) => ({ hold: implied, payment })));
    return;
  }
  const payment = implied === 'no-target' ? open(first[0]) : implied;
  for (const [pspId, own] of captures) payment.captures.set(pspId, own);
}

function findImpliedPayment(payments: readonly PaymentWithCaptures[]): ImpliedPayment {
  const [implied, ...others] = payments.filter((payment) => !hasFailed(payment));
  if (others.length > 0) return 'ambiguous';
  return implied ?? 'no-target';
}

function hasFailed({ sources, captures }: PaymentWithCaptures): boolean {
  if (sources.length === 0) return false;
  const isCaptured = [...captures.values()].flat().some(({ status }) => status === 'succeeded');
  return !isCaptured && highestStatus(sources) === 'failed';
}
