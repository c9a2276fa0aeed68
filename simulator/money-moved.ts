/**
 * Money that moved at the providers, in the order in which it did. An entry is written when money moves, whatever the
 * provider answers and reports about it, and never changes.
 */
import type { ProviderName } from './api-call.ts';

export type Movement = {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly provider: ProviderName;
  /** Returned: a capture was voided, and the consumer has the money again. */
  readonly kind: 'captured' | 'returned' | 'refunded';
  /** The provider's id of the payment. */
  readonly paymentId: string;
  /** The provider's id of what moved it: the payment itself, a capture, a void or a refund. */
  readonly id: string;
  /** Our id of the payment or refund; empty for a refund that was made elsewhere. */
  readonly reference: string;
  /** The provider had reported the payment or refund as failed before. */
  readonly isAfterFailure: boolean;
  /** In minor units. */
  readonly amount: number;
  readonly currency: string;
};

export type Money = ReturnType<typeof openMoney>;

export function openMoney(now: () => number) {
  const movements: Movement[] = [];
  return {
    move: (movement: Omit<Movement, 'at'>) => void movements.push({ ...movement, at: now() }),
    moved: (): readonly Movement[] => movements,
  };
}
