/**
 * Large orders. One more delivery must not cost more because an order has many transactions, so only those that it can
 * change are loaded; a tally in the order's row stands for the others. This works for plain payments and refunds, which
 * do not affect each other. An order with anything else is loaded whole. Contract 4.14.
 */
import { paymentLimits } from '../payments/limits.ts';
import type { DeliveredNotice, PaymentNotice, RefundNotice } from '../payments/notice.ts';
import type { Payment, Transaction } from '../payments/transaction.ts';
import type { ProviderName } from '../provider-name.ts';
import { idTimeAt, idTimeOf, isAuthentication, paymentsOf, pspKeyOf } from './matching.ts';
import { type OrderState, totalOf } from './order-state.ts';
import { succeededAtMs } from './relate.ts';
import { addTally, completes, type StoredTally, tallyOf, type Unloaded } from './tally.ts';

export type PspKey = { readonly provider: ProviderName; readonly pspTransactionId: string };

/** The payments and refunds that a notice can change; undefined if it can change any. */
export function affectedBy({
  payment,
  refund,
  dispute,
  provider,
}: Pick<DeliveredNotice, 'payment' | 'refund' | 'dispute' | 'provider'>):
  | readonly PspKey[]
  | undefined {
  // An order with disputes is always loaded whole.
  if (dispute) return undefined;
  // It changes only a payment that was started here, and no transaction of a tallied order was.
  if (payment && isAuthentication(payment)) return [];
  if ((payment && !isPlainPayment(payment)) || (refund && !isPlainRefund(refund))) return undefined;
  // The release of an authorisation changes the refunds of that payment.
  if (payment?.isRelease) return undefined;
  return [payment?.pspTransactionId, refund?.pspTransactionId, refund?.paymentPspId]
    .filter((id) => id !== undefined)
    .map((pspTransactionId) => ({ provider, pspTransactionId }));
}

function isPlainPayment({ record, targetPspId }: PaymentNotice): boolean {
  return record === undefined && targetPspId === undefined;
}

/** A refund without a payment belongs to the only payment that did not fail, so it depends on all of them. */
function isPlainRefund({ record, targetPspId, paymentPspId }: RefundNotice): boolean {
  return record === undefined && targetPspId === undefined && paymentPspId !== undefined;
}

/**
 * The lowest end of an id that new transactions of this notice may get. Each gets the first free second from its own
 * time on, and a century may end before that: then the last of these seconds is the lowest as text.
 */
export function lowestIdTimeOf({ payment, refund, receivedAt }: DeliveredNotice): string {
  const times = [payment, refund]
    .filter((notice) => notice !== undefined)
    .map((notice) => idTimeOf(notice) ?? receivedAt.getTime());
  const [lowest = ''] = times
    .flatMap((time) => [time, time + paymentLimits.transactionsMax * 1_000])
    .map((time) => idTimeAt(new Date(time)))
    .sort();
  return lowest;
}

export function unloadedOf(
  { countedId: _counted, ...tally }: StoredTally,
  loaded: readonly Transaction[],
  amounts: OrderState['order']['amounts'],
  { keys, ...ids }: { readonly keys: readonly PspKey[] } & Omit<Unloaded, 'tally' | 'pspKeys'>,
): Unloaded {
  return {
    ...ids,
    tally: addTally(tally, tallyOf(loaded, amounts), -1),
    pspKeys: new Set(keys.map(pspKeyOf)),
  };
}

/** Whether everything that the notice can change is loaded, and the ids that a new transaction must not have. */
export function isLoadedFor({ order, unloaded }: OrderState, notice: DeliveredNotice): boolean {
  if (!unloaded) return true;
  if (`${order.orderId}-${lowestIdTimeOf(notice)}` < unloaded.idsFrom) return false;
  return affectedBy(notice)?.every((key) => unloaded.pspKeys.has(pspKeyOf(key))) ?? false;
}

/** Whether another payment, which is not loaded, may have to take the place of the counted one. */
export function losesCounted(before: OrderState, after: OrderState): boolean {
  if (!before.unloaded || before.unloaded.tally.succeeded === 0) return false;
  const counted = findCounted(before);
  const same = after.transactions.find(
    ({ transactionId }) => transactionId === counted?.transactionId,
  );
  if (!counted || same?.type !== 'payment') return true;
  const { amounts } = before.order;
  return (
    same.status !== 'succeeded' ||
    succeededAtMs(same) !== succeededAtMs(counted) ||
    completes(same, amounts) !== completes(counted, amounts)
  );
}

/** Whether refunds that are not loaded may account for what the provider says was refunded. Contract 4.15. */
export function mayLackRefunds({ transactions, unloaded }: OrderState): boolean {
  if (!unloaded) return false;
  return transactions.some((entry) => entry.type === 'payment' && entry.unknownRefunds !== null);
}

function findCounted({ transactions }: OrderState): Payment | undefined {
  return paymentsOf(transactions).find(
    ({ status, flags }) => status === 'succeeded' && !flags.includes('duplicate_capture'),
  );
}

/** What to store with the order: null for an order that is always loaded whole. */
export function storedTallyOf(orderState: OrderState): StoredTally | null {
  const { transactions, held, disputeNotices = [], operations = [], unloaded } = orderState;
  const isSmall = !unloaded && transactions.length <= paymentLimits.transactionsLoadedMax;
  const others = held.length + disputeNotices.length + operations.length;
  if (isSmall || others > 0 || !transactions.every(isPlain)) return null;
  const total = totalOf(orderState);
  return { ...total, countedId: findCounted(orderState)?.transactionId ?? null };
}

/** True for a transaction that was not started here and has no captures, voids or records without a target. */
function isPlain(transaction: Transaction): boolean {
  if (transaction.start !== null) return false;
  return transaction.type === 'payment'
    ? transaction.notices.every(isPlainPayment)
    : transaction.notices.every(isPlainRefund);
}
