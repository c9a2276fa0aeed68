/**
 * Adds a notice to the records of its group and places all of them anew. A payment or refund keeps the
 * transaction it has, so an id that was given once never changes.
 */

import type { Order } from '../orders/order.ts';
import { countCaptures } from './captures.ts';
import {
  foldAnew,
  isAuthentication,
  nameOf,
  namesOf,
  type Unfolded,
  unfoldStart,
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

type Book = {
  readonly order: Pick<Order, 'orderId' | 'amounts'>;
  readonly transactions: readonly Transaction[];
  readonly held: readonly HeldNotice[];
};

type Regrouped = {
  readonly transactions: readonly Transaction[];
  readonly held: readonly HeldNotice[];
};

/** The same transactions, as the same list, where the notice is known already. */
export function regroup(orderState: Book, notice: DeliveredNotice): Regrouped {
  const { transactions, held } = orderState;
  const { provider } = notice;
  const isOfGroup = groupOf(notice);
  const known = transactions.filter(
    (entry) => entry.provider === provider && entry.notices.some(isOfGroup),
  );
  const heldHere = held.filter((entry) => entry.provider === provider && isOfGroup(saidBy(entry)));
  const records = collect(known, heldHere, notice);
  if (!records) return { transactions, held };

  const placement = placeRecords(records, wholesOf(transactions));
  const captures = countCaptures(placement.payments, records);
  const payments = placement.payments.map((placed, index) =>
    unfoldPayment(placed, captures[index] ?? null),
  );
  const refunds = placement.refunds.map(unfoldRefund);
  const others = transactions.filter((entry) => !known.includes(entry));
  const heldElsewhere = held.filter((entry) => !heldHere.includes(entry));
  return {
    transactions: assign(orderState, [...payments, ...refunds], known, others, notice),
    held:
      heldHere.length + placement.held.length === 0
        ? held
        : [...heldElsewhere, ...placement.held.map((entry) => ({ ...entry, provider }))],
  };
}

/** Whether the notice would be held for that reason, were it added. */
export function isHeldFor(orderState: Book, notice: DeliveredNotice, hold: Hold): boolean {
  return regroup(orderState, notice).held.some(
    (entry) => entry.hold === hold && saidBy(entry).deliveryKey === notice.deliveryKey,
  );
}

/**
 * What belongs to the group of a notice: all of the provider's order, or one payment with its refunds. So does
 * what has an id of the notice, whatever group it names: an id is that of one payment or refund only.
 */
function groupOf({ payment, refund }: DeliveredNotice): (said: Said) => boolean {
  const groups = [payment && paymentGroup(payment), refund && refundGroup(refund)];
  const paymentIds = [payment?.pspTransactionId, payment?.targetPspId];
  return (said) => {
    if (isAuthentication(said)) return false;
    if (isRefund(said)) {
      return (
        groups.includes(refundGroup(said)) || refund?.pspTransactionId === said.pspTransactionId
      );
    }
    return (
      groups.includes(paymentGroup(said)) ||
      paymentIds.includes(said.pspTransactionId) ||
      (said.targetPspId !== undefined && paymentIds.includes(said.targetPspId))
    );
  };
}

function paymentGroup({ pspOrder, pspTransactionId }: PaymentNotice): string {
  return pspOrder ?? pspTransactionId;
}

function refundGroup({ paymentPspOrder, paymentPspId, pspTransactionId }: RefundNotice): string {
  return paymentPspOrder ?? paymentPspId ?? pspTransactionId;
}

type Said = StoredPaymentNotice | StoredRefundNotice;

function isRefund(said: Said): said is StoredRefundNotice {
  return 'refundRequestId' in said;
}

function saidBy(held: HeldNotice): Said {
  return 'payment' in held ? held.payment : held.refund;
}

/** All records of the group with the new ones, or undefined where nothing is new. */
function collect(
  known: readonly Transaction[],
  held: readonly HeldNotice[],
  { payment, refund, deliveryKey, references }: DeliveredNotice,
): GroupRecords | undefined {
  const payments: StoredPaymentNotice[] = [];
  const refunds: StoredRefundNotice[] = [];
  for (const entry of known) {
    if (entry.type === 'refund') refunds.push(...entry.notices);
    else payments.push(...entry.notices.filter((said) => !isAuthentication(said)));
  }
  for (const entry of held) {
    if ('payment' in entry) payments.push(entry.payment);
    else refunds.push(entry.refund);
  }
  const isKnown = (said: Said) => said.deliveryKey === deliveryKey;
  const from = { deliveryKey, ...namesOf(references) };
  const fresh = {
    payments: payment && !payments.some(isKnown) ? [{ ...payment, ...from }] : [],
    refunds: refund && !refunds.some(isKnown) ? [{ ...refund, ...from }] : [],
  };
  if (fresh.payments.length + fresh.refunds.length === 0) return undefined;
  return { payments: [...payments, ...fresh.payments], refunds: [...refunds, ...fresh.refunds] };
}

/** The parts of refunds that were started here, each with the id of the whole. */
function wholesOf(transactions: readonly Transaction[]): ReadonlyMap<string, string> {
  const wholes = new Map<string, string>();
  for (const { start } of transactions) {
    const { pspTransactionId: whole, parts = [] } = start?.refund ?? {};
    if (whole === undefined) continue;
    wholes.set(whole, whole);
    for (const { pspTransactionId } of parts) wholes.set(pspTransactionId, whole);
  }
  return wholes;
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

/** Gives each payment and refund its transaction: the one it has, or a new one. */
function assign(
  { order }: Book,
  placed: readonly Placed[],
  known: readonly Transaction[],
  others: readonly Transaction[],
  { provider, receivedAt }: DeliveredNotice,
): readonly Transaction[] {
  const free = new Set(known);
  const takeOwn = (is: (entry: Transaction) => boolean) => {
    const found = [...free].find(is);
    if (found) free.delete(found);
    return found;
  };
  // Those that have the id come first: a payment that was known by a capture may have got another id.
  const exact = placed.map((one) =>
    takeOwn((entry) => entry.type === one.type && entry.pspTransactionId === one.pspTransactionId),
  );
  const owners = placed.map((one, index) => exact[index] ?? takeOwn((entry) => shares(entry, one)));
  // What was started here stays, also when nothing is left that the provider reported.
  const emptied = [...free].flatMap((entry) => withoutRecords(entry, order));
  const all: Transaction[] = [...others, ...emptied];
  const taken = [...all, ...owners.filter((owner) => owner !== undefined)];
  for (const [index, one] of placed.entries()) {
    const owner = owners[index];
    const isNew = owner === undefined;
    const transactionId = isNew
      ? nameOf(order.orderId, taken, namingOrder(one.notices), receivedAt)
      : owner.transactionId;
    const own = owner?.notices.filter(isAuthentication) ?? [];
    const folded = foldAnew(
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

function shares(entry: Transaction, { type, notices }: Placed): boolean {
  if (entry.type !== type) return false;
  const keys = new Set(notices.map(({ deliveryKey }) => deliveryKey));
  return entry.notices.some((said) => !isAuthentication(said) && keys.has(said.deliveryKey));
}

function withoutRecords(entry: Transaction, { amounts }: Book['order']): Transaction[] {
  const { start } = entry;
  if (start === null) return [];
  const notices = entry.notices.filter(isAuthentication);
  return [foldAnew({ ...unfoldStart({ ...entry, start }), notices } as Unfolded, amounts)];
}

/** The authorisation names a payment; without it the capture that was recorded first. */
function namingOrder(notices: readonly Said[]): Said[] {
  const rank = ({ record }: Said) => (record === undefined ? 0 : record === 'capture' ? 1 : 2);
  return [...notices].sort(
    (a, b) => rank(a) - rank(b) || (a.recordedAtMs ?? 0) - (b.recordedAtMs ?? 0),
  );
}
