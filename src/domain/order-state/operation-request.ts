/** Decides whether a requested capture or void is allowed, and its amount. Pure; callers hold the order's lock. Contract 16.3. */
import { refuseField, ServiceError } from '../errors.ts';
import { getExponent } from '../money/currency.ts';
import { formatAmount, type MinorUnits, readSentAmount, type SentAmount } from '../money/money.ts';
import { authorizedAmount, isPastHold, uncapturedAmount } from '../payments/hold.ts';
import { findVoid, isPending } from '../payments/operation.ts';
import type { Operation, Payment } from '../payments/transaction.ts';
import { isoTimestamp } from '../time.ts';
import type { OrderState } from './order-state.ts';

export type OperationRequest = {
  readonly kind: Operation['kind'];
  readonly transactionId: string;
  /** Of a capture; absent for all that is left. */
  readonly amount: SentAmount | undefined;
};

type OperablePayment = Payment & {
  readonly currency: string;
  readonly pspTransactionId: string;
};

export function decideOperation(
  { transactions }: OrderState,
  { kind, transactionId, amount: sent }: OperationRequest,
  { now, takesParts }: { readonly now: Date; readonly takesParts: (p: Payment) => boolean },
): { readonly payment: OperablePayment; readonly amount: MinorUnits } {
  const found = transactions.find((entry) => entry.transactionId === transactionId);
  if (found?.type !== 'payment') {
    refuse(kind, 'transaction_id names no payment: send the transaction_id of the payment.');
  }
  refuseRunning(found);
  const voided = findVoid(found);
  if (voided)
    refuse(kind, `The payment ${voided.status === 'pending' ? 'is being voided' : 'was voided'}.`);
  if (!isOperable(found)) {
    refuse(
      kind,
      `The payment is ${found.status}: only one that is authorized can be ${past[kind]}.`,
    );
  }
  const left = uncapturedAmount(found);
  if (kind === 'void') return { payment: found, amount: left };
  if (isPastHold(found, now)) {
    const end = isoTimestamp(new Date(found.hold?.expiresAtMs ?? 0));
    refuse(kind, `The hold of the payment ended at ${end}: ask the consumer to pay again.`);
  }
  return { payment: found, amount: chooseAmount(found, sent, left, takesParts(found)) };
}

const past = { capture: 'captured', void: 'voided' } as const;

function refuse(kind: Operation['kind'], message: string): never {
  throw new ServiceError(kind === 'capture' ? 'CAPTURE_NOT_ALLOWED' : 'VOID_NOT_ALLOWED', message);
}

/** A capture runs until its result is known. A void may stay pending for days; it runs while its call has no result. */
function refuseRunning({ operations }: Payment): void {
  const running = operations?.find(
    (operation) => isPending(operation) && (operation.kind === 'capture' || !operation.isSent),
  );
  if (!running) return;
  throw new ServiceError(running.kind === 'capture' ? 'CAPTURE_IN_PROGRESS' : 'VOID_IN_PROGRESS');
}

function isOperable(payment: Payment): payment is OperablePayment {
  const { status, currency, pspTransactionId } = payment;
  return (
    status === 'authorized' &&
    currency !== null &&
    pspTransactionId !== null &&
    authorizedAmount(payment) > 0
  );
}

function chooseAmount(
  payment: OperablePayment,
  sent: SentAmount | undefined,
  left: MinorUnits,
  takesParts: boolean,
): MinorUnits {
  const exponent = getExponent(payment.currency);
  const money = `${formatAmount(left, exponent)} ${payment.currency}`;
  const amount = sent === undefined ? left : readSentAmount('capture_amount', sent, exponent);
  if (sent !== undefined && amount === 0) refuseField('capture_amount', 'must be more than 0');
  if (amount > left || left === 0) {
    throw new ServiceError(
      'INVALID_CAPTURE_AMOUNT',
      `capture_amount may be at most ${money}: that is what is left of the authorisation.`,
    );
  }
  if (amount < left && !takesParts) {
    throw new ServiceError(
      'CAPTURE_AMOUNT_NOT_SUPPORTED',
      `This provider captures only the whole ${money}: leave capture_amount out, and refund what you do not want.`,
    );
  }
  return amount;
}
