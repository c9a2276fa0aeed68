/**
 * Adds a notice to the records of its group, places all of them again, and folds the payments and refunds that changed.
 * A payment or refund keeps its transaction, so a transaction id never changes.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Order } from '../orders/order.ts';
import { countCaptures } from '../payments/captures.ts';
import type { DeliveredNotice, PaymentNotice, RefundNotice } from '../payments/notice.ts';
import type { GroupRecords, HeldNotice, Hold, PlacedRefund } from '../payments/records.ts';
import {
  type AnyNotice,
  type StoredPaymentNotice,
  type StoredRefundNotice,
  sortedOnce,
  type Transaction,
} from '../payments/transaction.ts';
import type { ReviewFlag } from '../review-flag.ts';
import {
  foldTransaction,
  isAuthentication,
  newTransactionId,
  pickStartReferences,
  toUnfolded,
  type Unfolded,
} from './matching.ts';
import { placeOnePayment, placeRecords } from './placement.ts';
import type { Unloaded } from './tally.ts';

type OrderTransactions = {
  readonly order: Pick<Order, 'orderId' | 'amounts'>;
  readonly transactions: readonly Transaction[];
  readonly held: readonly HeldNotice[];
  readonly unloaded?: Pick<Unloaded, 'transactionIds'>;
};

type Placed = ReturnType<typeof countCaptures>[number] | PlacedRefund;

/** Returns the same list of transactions when the notice is known already. */
export function regroup(orderState: OrderTransactions, notice: DeliveredNotice) {
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

  const placement =
    placeOnePayment(records) ?? placeRecords(records, mapPartsToRefunds(transactions));
  const placed = [...countCaptures(placement.payments, records), ...placement.refunds];
  const ofGroup: ReadonlySet<unknown> = new Set([...known, ...heldHere]);
  const others = transactions.filter((entry) => !ofGroup.has(entry));
  const heldElsewhere = held.filter((entry) => !ofGroup.has(entry));
  return {
    transactions: assignTransactions(orderState, placed, known, others, notice),
    held:
      heldHere.length + placement.held.length === 0
        ? held
        : [...heldElsewhere, ...placement.held.map((entry) => ({ ...entry, provider }))],
  };
}

export function isHeldFor(orderState: OrderTransactions, notice: DeliveredNotice, hold: Hold) {
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
    if ('refundRequestId' in other) {
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

const noticeOf = (held: HeldNotice): AnyNotice => ('payment' in held ? held.payment : held.refund);

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
  const countBefore = payments.length + refunds.length;
  const isKnown = (notice: AnyNotice) => notice.deliveryKey === deliveryKey;
  const stored = { deliveryKey, ...pickStartReferences(references) };
  if (payment && !payments.some(isKnown)) payments.push({ ...payment, ...stored });
  if (refund && !refunds.some(isKnown)) refunds.push({ ...refund, ...stored });
  return payments.length + refunds.length > countBefore ? { payments, refunds } : undefined;
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

/** Gives each payment and refund a transaction: the one it had before, or a new one. */
function assignTransactions(
  { order, unloaded }: OrderTransactions,
  placed: readonly Placed[],
  known: readonly Transaction[],
  others: readonly Transaction[],
  { provider, receivedAt }: DeliveredNotice,
): readonly Transaction[] {
  const free = new Set(known);
  const take = (found: Transaction | undefined) => {
    if (found) free.delete(found);
    return found;
  };
  // Equal ids match first. The provider's id may have changed if only a capture was known before.
  const byPspId = new Map(known.map((entry) => [pspIdOf(entry), entry]));
  const exact = placed.map((one) => take(byPspId.get(pspIdOf(one))));
  const owners = placed.map(
    (one, index) => exact[index] ?? take([...free].find((entry) => sharesNotice(entry, one))),
  );
  // A transaction that was started here stays, even without any notice.
  const emptied = [...free].flatMap(({ start, ...entry }) => {
    if (start === null) return [];
    const notices = entry.notices.filter(isAuthentication);
    const unfolded = { ...toUnfolded({ ...entry, start }), notices } as Unfolded;
    return [foldTransaction(unfolded, order.amounts)];
  });
  const all: Transaction[] = [...others, ...emptied];
  const taken = new Set(unloaded?.transactionIds);
  for (const entry of [...all, ...owners]) if (entry) taken.add(entry.transactionId);
  for (const [index, one] of placed.entries()) {
    const owner = owners[index];
    if (owner && isUnchanged(owner, one)) {
      all.push(owner);
      continue;
    }
    const transactionId =
      owner?.transactionId ??
      newTransactionId(order.orderId, taken, receivedAt, byIdPrecedence(one.notices));
    taken.add(transactionId);
    const start = owner?.start ?? null;
    const notices = [...(owner?.notices.filter(isAuthentication) ?? []), ...one.notices];
    const unfolded = { ...one, transactionId, provider, start, notices } as unknown as Unfolded;
    all.push(foldTransaction(unfolded, order.amounts));
  }
  return all;
}

function pspIdOf({ type, pspTransactionId }: Pick<Transaction, 'type' | 'pspTransactionId'>) {
  return `${type} ${pspTransactionId}`;
}

/** True when folding again would give the same transaction. Notices are compared by identity, because none is copied. */
function isUnchanged(owner: Transaction, placed: Placed): boolean {
  const own = owner.start
    ? owner.notices.filter((notice) => !isAuthentication(notice))
    : owner.notices;
  return (
    owner.pspTransactionId === placed.pspTransactionId &&
    own.length === placed.notices.length &&
    own.every((notice, index) => notice === placed.notices[index]) &&
    hasSamePlaces(owner, placed)
  );
}

function hasSamePlaces(owner: Transaction, placed: Placed): boolean {
  if (owner.type === 'payment' && placed.type === 'payment') {
    return (
      owner.voided === placed.voided &&
      owner.capturedLimit === placed.capturedLimit &&
      isEqual(owner.captures, placed.captures)
    );
  }
  if (owner.type === 'refund' && placed.type === 'refund') {
    return isEqual(owner.voidedPspIds, placed.voidedPspIds);
  }
  return false;
}

/** Most transactions have neither captures nor voids, and a deep comparison is slow. */
function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (a !== null && b !== null && isDeepStrictEqual(a, b));
}

function sharesNotice(entry: Transaction, { type, notices }: Placed): boolean {
  if (entry.type !== type) return false;
  const keys = new Set(notices.map(({ deliveryKey }) => deliveryKey));
  return entry.notices.some((notice) => !isAuthentication(notice) && keys.has(notice.deliveryKey));
}

/** A payment's id is made from its authorisation, or else from the capture that was recorded first. */
function byIdPrecedence(notices: readonly AnyNotice[]): AnyNotice[] {
  const rank = ({ record }: AnyNotice) => (record === undefined ? 0 : record === 'capture' ? 1 : 2);
  return notices.toSorted(
    (a, b) => rank(a) - rank(b) || (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0),
  );
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
