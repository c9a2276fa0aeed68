/** What an authorised payment holds: how much, until when, and what is left to capture. Contract 16. */
import type { MinorUnits } from '../money/money.ts';
import { countedOf } from './captures.ts';
import { findVoid, isPending } from './operation.ts';
import type { Payment } from './transaction.ts';

/** A payment that the shop captures itself and that it has not captured in full. */
export function isHeld({ hold, status, partialCapture }: Payment): boolean {
  return hold !== null && (status === 'authorized' || partialCapture !== null);
}

/** The consumer has done all that there is to do: the shop captures the payment later. Contract 16.2. */
export function isReserved(payment: Payment): boolean {
  return payment.status === 'authorized' && payment.hold !== null;
}

export function authorizedAmount({ hold, partialCapture, amount }: Payment): MinorUnits {
  return hold?.amount ?? partialCapture?.authorized ?? amount ?? 0;
}

export function capturedAmount({ captures, status, amount }: Payment): MinorUnits {
  if (captures === null) return status === 'succeeded' ? (amount ?? 0) : 0;
  return countedOf(captures).reduce((sum, capture) => sum + capture.amount, 0);
}

/** Pending captures count as captured, so that two of them never exceed the authorisation. */
export function uncapturedAmount(payment: Payment): MinorUnits {
  const pending = (payment.operations ?? [])
    .filter((operation) => operation.kind === 'capture' && isPending(operation))
    .reduce((sum, { amount }) => sum + amount, 0);
  return Math.max(0, authorizedAmount(payment) - capturedAmount(payment) - pending);
}

export function isPastHold({ hold }: Payment, now: Date): boolean {
  return hold !== null && now.getTime() >= hold.expiresAtMs;
}

/** What the enquiry shows of a payment of manual capture; null for any other. Contract 16.6. */
export function describeAuthorization(payment: Payment, now: Date) {
  const { hold, status } = payment;
  if (!hold) return null;
  const captured = capturedAmount(payment);
  const isOpen = isHeld(payment) && !findVoid(payment) && !isPastHold(payment, now);
  const isVoided = status === 'reversed' || (status === 'succeeded' && payment.voided === 'done');
  return {
    authorizedAtMs: hold.atMs,
    expiresAtMs: hold.expiresAtMs,
    captured,
    voided: isVoided ? hold.amount - captured : 0,
    available: isOpen ? uncapturedAmount(payment) : 0,
  };
}
