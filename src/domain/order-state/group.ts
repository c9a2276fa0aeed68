/**
 * Adds a notice to the records of its group and places all of them again. A payment or refund keeps its
 * transaction, so a transaction id never changes.
 */

import { type CountedCaptures, countCaptures } from '../payments/captures.ts';
import type { DeliveredNotice, PaymentNotice, RefundNotice } from '../payments/notice.ts';
import type {
  GroupRecords,
  HeldNotice,
  Hold,
  PlacedPayment,
  PlacedRefund,
} from '../payments/records.ts';
import {
  type StoredPaymentNotice,
  type StoredRefundNotice,
  sortedOnce,
  type Transaction,
} from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';
import { assignTransactions, type OrderToAssign, type Placed } from './assign.ts';
import { isAuthentication, pickStartReferences } from './matching.ts';
import { placeRecords } from './placement.ts';

type OrderTransactions = {
  readonly transactions: readonly Transaction[];
  readonly held: readonly HeldNotice[];
};

type OrderWithTransactions = OrderTransactions & OrderToAssign;

/** Returns the same list of transactions when the notice is known already. */
export function regroup(
  orderState: OrderWithTransactions,
  notice: DeliveredNotice,
): OrderTransactions {
  const { transactions, held } = orderState;
  const { provider } = notice;
  const isOfGroup = groupOf(notice);
  const known = transactions.filter(
    (entry) => entry.provider === provider && entry.notices.some(isOfGroup),
  );
  const heldHere = held.filter(
    (entry) => entry.provider === provider && isOfGroup(noticeOf(entry)),
  );
  const records = collectRecords(known, heldHere, notice);
  if (!records) return { transactions, held };

  const placement = placeRecords(records, mapPartsToRefunds(transactions));
  const captures = countCaptures(placement.payments, records);
  const payments = placement.payments.map((placed, index) =>
    unfoldPayment(placed, captures[index]),
  );
  const refunds = placement.refunds.map(unfoldRefund);
  const ofGroup: ReadonlySet<unknown> = new Set([...known, ...heldHere]);
  const others = transactions.filter((entry) => !ofGroup.has(entry));
  const heldElsewhere = held.filter((entry) => !ofGroup.has(entry));
  return {
    transactions: assignTransactions(orderState, [...payments, ...refunds], known, others, notice),
    held:
      heldHere.length + placement.held.length === 0
        ? held
        : [...heldElsewhere, ...placement.held.map((entry) => ({ ...entry, provider }))],
  };
}

/** Whether the notice, once added, would be held for this reason. */
export function isHeldFor(
  orderState: OrderWithTransactions,
  notice: DeliveredNotice,
  hold: Hold,
): boolean {
  return regroup(orderState, notice).held.some(
    (entry) => entry.hold === hold && noticeOf(entry).deliveryKey === notice.deliveryKey,
  );
}

/**
 * Tests whether other notices are in the group of this one: the same order at the provider, or the same payment with
 * its refunds. A notice with an id in common is in the group too, because an id belongs to one payment or refund.
 */
function groupOf({ payment, refund }: DeliveredNotice): (other: AnyNotice) => boolean {
  const groups = [payment && paymentGroup(payment), refund && refundGroup(refund)];
  const paymentIds = [payment?.pspTransactionId, payment?.targetPspId];
  return (other) => {
    if (isAuthentication(other)) return false;
    if (isRefund(other)) {
      return (
        groups.includes(refundGroup(other)) || refund?.pspTransactionId === other.pspTransactionId
      );
    }
    return (
      groups.includes(paymentGroup(other)) ||
      paymentIds.includes(other.pspTransactionId) ||
      (other.targetPspId !== undefined && paymentIds.includes(other.targetPspId))
    );
  };
}

function paymentGroup({ pspOrder, pspTransactionId }: PaymentNotice): string {
  return pspOrder ?? pspTransactionId;
}

function refundGroup({ paymentPspOrder, paymentPspId, pspTransactionId }: RefundNotice): string {
  return paymentPspOrder ?? paymentPspId ?? pspTransactionId;
}

type AnyNotice = StoredPaymentNotice | StoredRefundNotice;

function isRefund(notice: AnyNotice): notice is StoredRefundNotice {
  return 'refundRequestId' in notice;
}

function noticeOf(held: HeldNotice): AnyNotice {
  return 'payment' in held ? held.payment : held.refund;
}

/** All records of the group including the new ones; undefined when none is new. */
function collectRecords(
  known: readonly Transaction[],
  held: readonly HeldNotice[],
  { payment, refund, deliveryKey, references }: DeliveredNotice,
): GroupRecords | undefined {
  const payments: StoredPaymentNotice[] = [];
  const refunds: StoredRefundNotice[] = [];
  for (const entry of known) {
    if (entry.type === 'refund') refunds.push(...entry.notices);
    else payments.push(...entry.notices.filter((notice) => !isAuthentication(notice)));
  }
  for (const entry of held) {
    if ('payment' in entry) payments.push(entry.payment);
    else refunds.push(entry.refund);
  }
  const isKnown = (notice: AnyNotice) => notice.deliveryKey === deliveryKey;
  const stored = { deliveryKey, ...pickStartReferences(references) };
  const fresh = {
    payments: payment && !payments.some(isKnown) ? [{ ...payment, ...stored }] : [],
    refunds: refund && !refunds.some(isKnown) ? [{ ...refund, ...stored }] : [],
  };
  if (fresh.payments.length + fresh.refunds.length === 0) return undefined;
  return { payments: [...payments, ...fresh.payments], refunds: [...refunds, ...fresh.refunds] };
}

/** For refunds that were started here: the provider's id of each part, mapped to that of the refund. */
function mapPartsToRefunds(transactions: readonly Transaction[]): ReadonlyMap<string, string> {
  const refundIds = new Map<string, string>();
  for (const { start } of transactions) {
    const { pspTransactionId: refundId, parts = [] } = start?.refund ?? {};
    if (refundId === undefined) continue;
    refundIds.set(refundId, refundId);
    for (const { pspTransactionId } of parts) refundIds.set(pspTransactionId, refundId);
  }
  return refundIds;
}

function unfoldPayment(placed: PlacedPayment, counted: CountedCaptures | undefined): Placed {
  const { pspId, records, voided } = placed;
  const { captures = null, capturedLimit = null, lacksCapture = false } = counted ?? {};
  return {
    type: 'payment',
    pspTransactionId: pspId,
    notices: records,
    captures,
    capturedLimit,
    // Until that capture is known, it is not known what the void left.
    voided: lacksCapture ? null : voided,
  };
}

function unfoldRefund({ pspId, records, voidedPspIds }: PlacedRefund): Placed {
  return { type: 'refund', pspTransactionId: pspId, notices: records, voidedPspIds };
}

const flagsByHold: Readonly<Record<Hold, ReviewFlag | null>> = {
  ambiguous: 'target_unknown',
  contradictory: 'reference_conflict',
  'no-target': null,
  release: null,
};

/** The flags of all held notices, or of those from one delivery. */
export function flagsOfHeld(held: readonly HeldNotice[], deliveryKey?: string): ReviewFlag[] {
  const included = held.filter(
    (entry) => deliveryKey === undefined || noticeOf(entry).deliveryKey === deliveryKey,
  );
  return [...sortedOnce(included.flatMap(({ hold }) => flagsByHold[hold] ?? []))];
}
