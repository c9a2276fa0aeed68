/** Decides whether a transaction must still be polled at its provider. */
import { isPending } from './operation.ts';
import { isFinal, type Payment, type Transaction } from './transaction.ts';

/**
 * A failed payment is final, and is still polled if the provider has it: the consumer may try again at the same checkout,
 * and the webhook of that attempt may get lost. A reported attempt proves that our call arrived.
 */
export function needsPolling(transaction: Transaction): boolean {
  const { type, status, start, pspTransactionId } = transaction;
  if (!isFinal(status)) return true;
  if (hasUnknownRefunds(transaction) || hasPendingOperation(transaction)) return true;
  if (type !== 'payment' || start === null) return false;
  const isAtProvider = start.call === 'taken' || start.isOver === true || pspTransactionId !== null;
  const mayBeRetried = status === 'failed' && isAtProvider;
  if (isDiscountUnknown(transaction)) return true;
  // A payment that only time has settled: the rest of its authorisation may still be captured.
  return mayBeRetried || transaction.partialCapture !== null;
}

/** A discount counts once the provider's order is known to be ours, and the answer with its id was lost. Contract 4.11a. */
function isDiscountUnknown({ start, offerId, flags }: Payment): boolean {
  const isOrderUnknown = start !== null && start.providerOrderId === undefined;
  return isOrderUnknown && offerId !== null && flags.includes('amount_mismatch');
}

/** Its capture or void is sent again, or its result is read. Contract 16.4. */
export function hasPendingOperation(transaction: Transaction): boolean {
  return transaction.type === 'payment' && transaction.operations?.some(isPending) === true;
}

/** The refunds of such a payment are read until they account for what the provider says. Contract 4.15. */
export const hasUnknownRefunds = ({ flags }: Transaction) => flags.includes('refund_unknown');

/** A payment may still succeed for this long after its order has lapsed. */
export const lateSuccessSeconds = 3 * 24 * 3600;
