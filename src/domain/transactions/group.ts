/**
 * Adds a notice to the records of its group and places all of them again. A payment or refund keeps its
 * transaction, so a transaction id never changes.
 */

import type { Order } from '../orders/order.ts';
import { countCaptures } from './captures.ts';
import {
  foldTransaction,
  isAuthentication,
  pickStartReferences,
  toUnfolded,
  transactionIdFor,
  type Unfolded,
} from './matching.ts';
import type { DeliveredNotice, PaymentNotice, RefundNotice } from './notice.ts';
import { placeRecords } from './placement.ts';
import type { GroupRecords, HeldNotice, Hold, PlacedPayment, PlacedRefund } from './records.ts';
import type {
  Capture,
  StoredPaymentNotice,
  StoredRefundNotice,
  Transaction,
} from './transaction.ts';

type OrderTransactions = {
  readonly transactions: readonly Transaction[];
  readonly held: readonly HeldNotice[];
};

type OrderWithTransactions = OrderTransactions & {
  readonly order: Pick<Order, 'orderId' | 'amounts'>;
};

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
    unfoldPayment(placed, captures[index] ?? null),
  );
  const refunds = placement.refunds.map(unfoldRefund);
  const others = transactions.filter((entry) => !known.includes(entry));
  const heldElsewhere = held.filter((entry) => !heldHere.includes(entry));
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

type Placed = Omit<Unfolded, 'transactionId' | 'provider' | 'start'> & {
  readonly pspTransactionId: string;
};

function unfoldPayment(placed: PlacedPayment, captures: readonly Capture[] | null): Placed {
  const { pspId, records, voided } = placed;
  return { type: 'payment', pspTransactionId: pspId, notices: records, captures, voided } as Placed;
}

function unfoldRefund({ pspId, records, voidedPspIds }: PlacedRefund): Placed {
  return { type: 'refund', pspTransactionId: pspId, notices: records, voidedPspIds } as Placed;
}

/** Gives each payment and refund a transaction: the one it had before, or a new one. */
function assignTransactions(
  { order }: OrderWithTransactions,
  placed: readonly Placed[],
  known: readonly Transaction[],
  others: readonly Transaction[],
  { provider, receivedAt }: DeliveredNotice,
): readonly Transaction[] {
  const free = new Set(known);
  const takeFree = (matches: (entry: Transaction) => boolean) => {
    const found = [...free].find(matches);
    if (found) free.delete(found);
    return found;
  };
  // Equal ids match first. The provider's id may have changed if only a capture was known before.
  const exact = placed.map((one) =>
    takeFree((entry) => entry.type === one.type && entry.pspTransactionId === one.pspTransactionId),
  );
  const owners = placed.map(
    (one, index) => exact[index] ?? takeFree((entry) => sharesNotice(entry, one)),
  );
  // A transaction that was started here stays, even without any notice.
  const emptied = [...free].flatMap((entry) => withoutRecords(entry, order));
  const all: Transaction[] = [...others, ...emptied];
  const taken = [...all, ...owners.filter((owner) => owner !== undefined)];
  for (const [index, one] of placed.entries()) {
    const owner = owners[index];
    const isNew = owner === undefined;
    const transactionId = isNew
      ? transactionIdFor(order.orderId, taken, byIdPrecedence(one.notices), receivedAt)
      : owner.transactionId;
    const own = owner?.notices.filter(isAuthentication) ?? [];
    const folded = foldTransaction(
      {
        ...one,
        transactionId,
        provider,
        start: owner?.start ?? null,
        notices: [...own, ...one.notices],
      } as unknown as Unfolded,
      order.amounts,
    );
    all.push(folded);
    if (isNew) taken.push(folded);
  }
  return all;
}

function sharesNotice(entry: Transaction, { type, notices }: Placed): boolean {
  if (entry.type !== type) return false;
  const keys = new Set(notices.map(({ deliveryKey }) => deliveryKey));
  return entry.notices.some((notice) => !isAuthentication(notice) && keys.has(notice.deliveryKey));
}

function withoutRecords(
  entry: Transaction,
  { amounts }: OrderWithTransactions['order'],
): Transaction[] {
  const { start } = entry;
  if (start === null) return [];
  const notices = entry.notices.filter(isAuthentication);
  return [foldTransaction({ ...toUnfolded({ ...entry, start }), notices } as Unfolded, amounts)];
}

/** A payment's id is made from its authorisation, or else from the capture that was recorded first. */
function byIdPrecedence(notices: readonly AnyNotice[]): AnyNotice[] {
  const rank = ({ record }: AnyNotice) => (record === undefined ? 0 : record === 'capture' ? 1 : 2);
  return [...notices].sort(
    (a, b) => rank(a) - rank(b) || (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0),
  );
}
