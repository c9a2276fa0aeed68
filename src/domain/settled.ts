/** Whether a transaction has to be asked for at its provider any more. */
import { isFinal, type Transaction } from './transaction.ts';

/**
 * A consumer whose payment failed may try again at the same checkout, and the news of that may be lost:
 * such a payment is final as it stands, and still asked for.
 */
export function isSettled({ type, status, start }: Transaction): boolean {
  const mayBePaidLater = start?.call === 'taken' || start?.isOver === true;
  const mayBeTriedAgain = type === 'payment' && status === 'failed' && mayBePaidLater;
  return isFinal(status) && !mayBeTriedAgain;
}

/** A late success may come so long after the order's time is over. */
export const lateSuccessSeconds = 3 * 24 * 3600;
