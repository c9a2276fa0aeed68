/**
 * Decides which payment or refund each record of a provider belongs to. All records of a group are placed again each
 * time, so the result depends on the set of records and never on their order of arrival. Contract 4.9.
 */
import { isVoidRecord } from '../payments/notice.ts';
import {
  chooseTarget,
  type GroupRecords,
  type HeldRecord,
  highestStatus,
  holdPayments,
  type ImpliedPayment,
  isSource,
  oldestFirst,
  ownId,
  type PaymentWithCaptures,
  type PlacedRefund,
  targetsOf,
  toVoidCandidate,
} from '../payments/records.ts';
import type { StoredPaymentNotice, StoredRefundNotice } from '../payments/transaction.ts';
import { placeVoids } from './place-voids.ts';

/**
 * The short way for nearly all groups: reports of one payment, without any record of a capture, void or refund. It gives
 * what `placeRecords` would give, which a property proves, for a tenth of the memory. Undefined for other groups.
 */
export function placeOnePayment({ payments, refunds }: GroupRecords) {
  const [first] = payments;
  if (!first || refunds.length > 0) return undefined;
  const pspId = ownId(first);
  const isOne = payments.every((notice) => isSource(notice) && ownId(notice) === pspId);
  if (!isOne) return undefined;
  return {
    payments: [{ pspId, records: payments, captures: [], voided: null }],
    refunds: [],
    held: [],
  };
}

/** `refundIds` maps the provider's id of each part of a split refund to that of the refund. */
export function placeRecords(
  { payments: notices, refunds }: GroupRecords,
  refundIds: ReadonlyMap<string, string>,
) {
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

/**
 * Assigns captures to their authorisation or payment. Captures without a target belong to the only payment that did not
 * fail. If no payment is known yet, they form one: the money was captured, whether its authorisation was reported or not.
 */
function placeCaptures(notices: readonly StoredPaymentNotice[], held: HeldRecord[]) {
  const ofRecord = (record: StoredPaymentNotice['record']) =>
    Map.groupBy(
      notices.filter((notice) => notice.record === record),
      ownId,
    );
  const sources = ofRecord(undefined);
  const captures = ofRecord('capture');
  const payments = new Map<string, PaymentWithCaptures>();
  const open = (pspId: string): PaymentWithCaptures => {
    const fresh = { pspId, sources: sources.get(pspId) ?? [], captures: new Map() };
    const payment = payments.get(pspId) ?? fresh;
    payments.set(pspId, payment);
    return payment;
  };
  for (const pspId of sources.keys()) open(pspId);

  const untargeted: Array<[string, StoredPaymentNotice[]]> = [];
  for (const [pspId, own] of captures) {
    const [target, ...others] = targetsOf(own);
    if (others.length > 0 || sources.has(pspId)) holdPayments(held, 'contradictory', own);
    else if (target === undefined || captures.has(target)) {
      // A capture whose target is another capture has no valid target: only a payment can be captured.
      untargeted.push([pspId, own]);
    } else open(target).captures.set(pspId, own);
  }
  const [first] = untargeted.sort(oldestFirst);
  const implied = findImpliedPayment([...payments.values()]);
  if (implied === 'ambiguous') {
    for (const [, own] of untargeted) holdPayments(held, implied, own);
  } else if (first) {
    const payment = implied === 'no-target' ? open(first[0]) : implied;
    for (const [pspId, own] of untargeted) payment.captures.set(pspId, own);
  }
  return [...payments.values()];
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

function placeRefunds(
  payments: readonly PaymentWithCaptures[],
  notices: readonly StoredRefundNotice[],
  refundIds: ReadonlyMap<string, string>,
  implied: ImpliedPayment,
  held: HeldRecord[],
): PlacedRefund[] {
  const voids = notices.filter(isVoidRecord);
  const plain = notices.filter((notice) => !isVoidRecord(notice));
  const refunds = new Map<string, StoredRefundNotice[]>();
  for (const [pspId, own] of Map.groupBy(plain, ownId)) {
    const startedId = refundIds.get(pspId);
    const reason = startedId === undefined ? findHold(own, payments, implied) : undefined;
    if (reason) held.push(...own.map((refund) => ({ hold: reason, refund })));
    else refunds.set(startedId ?? pspId, [...(refunds.get(startedId ?? pspId) ?? []), ...own]);
  }
  const voided = placeRefundVoids(refunds, voids, held);
  return [...refunds].map(([pspId, records]) => {
    const own = voided.get(pspId);
    return {
      type: 'refund',
      pspTransactionId: pspId,
      notices: [...records, ...(own?.records ?? [])],
      voidedPspIds: own && own.pspIds.size > 0 ? [...own.pspIds].sort() : null,
    };
  });
}

/** A refund without a target is held if it could belong to several payments. Contract 4.9. */
function findHold(
  notices: readonly StoredRefundNotice[],
  payments: readonly PaymentWithCaptures[],
  implied: ImpliedPayment,
): HeldRecord['hold'] | undefined {
  const targets = notices.flatMap(({ paymentPspId }) => paymentPspId ?? []);
  if (targets.length === 0) return implied === 'ambiguous' ? implied : undefined;
  const ofRelease = (target: string) =>
    payments.some((payment) => payment.pspId === target && isReleased(payment));
  return targets.every(ofRelease) ? 'release' : undefined;
}

/** True for an authorisation that was released without ever being captured. Contract 4.8. */
function isReleased({ sources }: PaymentWithCaptures): boolean {
  return (
    sources.some(({ isRelease }) => isRelease) &&
    !sources.some(({ status }) => status === 'succeeded')
  );
}

type VoidedRefund = { readonly records: StoredRefundNotice[]; readonly pspIds: Set<string> };

function placeRefundVoids(
  refunds: ReadonlyMap<string, readonly StoredRefundNotice[]>,
  voids: readonly StoredRefundNotice[],
  held: HeldRecord[],
): Map<string, VoidedRefund> {
  const placed = new Map<string, VoidedRefund>();
  const voided = new Set<string>();
  const hold = (own: readonly StoredRefundNotice[], reason: HeldRecord['hold']) =>
    held.push(...own.map((refund) => ({ hold: reason, refund })));
  const records = [...refunds].flatMap(([refundId, own]) =>
    [...Map.groupBy(own, ownId)].map(([pspId, notices]) => ({
      ...toVoidCandidate(pspId, notices),
      refundId,
    })),
  );
  const byPspId = new Map(records.map((record) => [record.pspId, record]));
  const byId = [...Map.groupBy(voids, ownId)].sort(oldestFirst);
  const hasTarget = (own: readonly StoredRefundNotice[]) => Number(targetsOf(own).length > 0);
  // Voids with a target come first, so that the others choose among the remaining refunds.
  const exactFirst = byId.toSorted(([, a], [, b]) => hasTarget(b) - hasTarget(a));
  for (const [, own] of exactFirst) {
    const [given, ...others] = targetsOf(own);
    const target = given ?? chooseTarget(own, records, (pspId) => voided.has(pspId));
    const record = target === undefined ? undefined : byPspId.get(target);
    if (others.length > 0) hold(own, 'contradictory');
    else if (!record) hold(own, heldWith(target, held) ?? 'no-target');
    else {
      const entry = placed.get(record.refundId) ?? { records: [], pspIds: new Set() };
      placed.set(record.refundId, entry);
      entry.records.push(...own);
      if (own.some(({ status }) => status === 'succeeded')) {
        entry.pspIds.add(record.pspId);
        voided.add(record.pspId);
      }
    }
  }
  return placed;
}

/** The void of a held refund is held for the same reason. */
function heldWith(target: string | undefined, held: readonly HeldRecord[]) {
  return held.find((entry) => 'refund' in entry && entry.refund.pspTransactionId === target)?.hold;
}
