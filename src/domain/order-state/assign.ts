/** Gives the payments and refunds of a group their transactions, and folds those that changed. */
import { isDeepStrictEqual } from 'node:util';
import type { Order } from '../orders/order.ts';
import type { UnfoldedPayment } from '../payments/fold-payment.ts';
import type { UnfoldedRefund } from '../payments/fold-refund.ts';
import type { DeliveredNotice } from '../payments/notice.ts';
import type {
  StoredPaymentNotice,
  StoredRefundNotice,
  Transaction,
} from '../payments/transaction.ts';
import {
  foldTransaction,
  isAuthentication,
  toUnfolded,
  transactionIdFor,
  type Unfolded,
} from './matching.ts';
import type { Unloaded } from './tally.ts';

/** A payment or refund with its records, before it is folded. */
export type Placed = (
  | Pick<UnfoldedPayment, 'type' | 'notices' | 'captures' | 'voided' | 'capturedLimit'>
  | Pick<UnfoldedRefund, 'type' | 'notices' | 'voidedPspIds'>
) & { readonly pspTransactionId: string };

/** The order whose transactions they are. */
export type OrderToAssign = {
  readonly order: Pick<Order, 'orderId' | 'amounts'>;
  readonly unloaded?: Pick<Unloaded, 'transactionIds'>;
};

type AnyNotice = StoredPaymentNotice | StoredRefundNotice;

/** Gives each payment and refund a transaction: the one it had before, or a new one. */
export function assignTransactions(
  { order, unloaded }: OrderToAssign,
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
  const emptied = [...free].flatMap((entry) => withoutRecords(entry, order));
  const all: Transaction[] = [...others, ...emptied];
  const taken = new Set(unloaded?.transactionIds);
  for (const entry of [...all, ...owners]) if (entry) taken.add(entry.transactionId);
  const isTaken = (id: string) => taken.has(id);
  for (const [index, one] of placed.entries()) {
    const owner = owners[index];
    if (owner && isUnchanged(owner, one)) {
      all.push(owner);
      continue;
    }
    const isNew = owner === undefined;
    const transactionId = isNew
      ? transactionIdFor(order.orderId, isTaken, byIdPrecedence(one.notices), receivedAt)
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
    if (isNew) taken.add(transactionId);
  }
  return all;
}

function pspIdOf({
  type,
  pspTransactionId,
}: Pick<Transaction, 'type' | 'pspTransactionId'>): string {
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

function withoutRecords(entry: Transaction, { amounts }: OrderToAssign['order']): Transaction[] {
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
