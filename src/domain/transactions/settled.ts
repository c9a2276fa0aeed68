/** Whether a transaction has to be asked for at its provider any more. */
import { isFinal, type Transaction } from './transaction.ts';

/**
 * A consumer whose payment failed may try again at the same checkout, and the news of that may be lost:
 * such a payment is final as it stands, and still asked for.
 */
export function isSettled(transaction: Transaction): boolean {
  const { type, status, start } = transaction;
  if (!isFinal(status)) return false;
  if (type !== 'payment' || start === null) return true;
  const mayBeTriedAgain = status === 'failed' && (start.call === 'taken' || start.isOver === true);
  // Settled by time alone: the rest of the authorisation may still be captured.
  return !mayBeTriedAgain && transaction.partialCapture === null;
}

/** A late success may come so long after the order's time is over. */
export const lateSuccessSeconds = 3 * 24 * 3600;
