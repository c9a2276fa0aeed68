/**
 * Captures and voids that were requested here. The request is a fact of its order, like the start of a payment; what became
 * of it follows from the result of our call and from what the provider reports. Contract 16.
 */
import type { MinorUnits } from '../money/money.ts';
import type { ProviderName } from '../provider-name.ts';
import type { FailureReason } from './failure.ts';
import { isVoidRecord } from './notice.ts';
import { voidStateOf } from './records.ts';
import type { Callable } from './start.ts';
import type { Capture, Operation, OperationStatus, Payment } from './transaction.ts';

export type RequestedOperation = Callable & {
  readonly operationId: string;
  readonly kind: Operation['kind'];
  readonly provider: ProviderName;
  /** The payment by our id and by the provider's: ours may change when an order is rebuilt. */
  readonly transactionId: string;
  readonly paymentPspId: string;
  /** The provider's id of the capture or void, if we choose it. Without one, only the payment tells what became of it. */
  readonly pspId?: string;
  /** Of a void, what was left to capture when it was requested. */
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly atMs: number;
  readonly comment?: string;
};

export function foldOperation(requested: RequestedOperation, payment: Payment): Operation {
  const { operationId, kind, amount, atMs, call } = requested;
  const status = statusOf(requested, payment);
  return {
    operationId,
    kind,
    amount,
    status,
    isSent: call !== 'open',
    atMs,
    failure: status === 'failed' ? findFailure(requested, payment) : null,
  };
}

function statusOf(requested: RequestedOperation, payment: Payment): OperationStatus {
  const { kind, call, pspId } = requested;
  const reported = kind === 'capture' ? ofCapture(pspId, payment) : ofVoid(pspId, payment);
  if (reported) return reported;
  if (call === 'refused' || payment.status === 'failed') return 'failed';
  if (payment.status === 'reversed') return kind === 'void' ? 'succeeded' : 'failed';
  const isOver = payment.status === 'succeeded' && pspId === undefined;
  if (!isOver) return 'pending';
  return kind === 'capture' ? 'succeeded' : 'failed';
}

const statusOfCapture: Readonly<Record<Capture['status'], OperationStatus>> = {
  pending: 'pending',
  failed: 'failed',
  captured: 'succeeded',
  // The capture was made, and is cancelled by a void of its own.
  voiding: 'succeeded',
  voided: 'succeeded',
};

function ofCapture(pspId: string | undefined, { captures }: Payment): OperationStatus | undefined {
  const found = captures?.find((capture) => capture.pspId === pspId);
  return found && statusOfCapture[found.status];
}

function ofVoid(pspId: string | undefined, { notices }: Payment): OperationStatus | undefined {
  const own = notices.filter((notice) => isVoidRecord(notice) && notice.pspTransactionId === pspId);
  if (own.length === 0) return undefined;
  const state = voidStateOf(own);
  if (state === null) return 'failed';
  return state === 'done' ? 'succeeded' : 'pending';
}

function findFailure({ pspId, failure }: RequestedOperation, { notices }: Payment) {
  const own = notices.filter(({ pspTransactionId }) => pspTransactionId === pspId);
  const reported = own.map((notice): FailureReason | undefined => notice.failure);
  return reported.find((reason) => reason !== undefined) ?? failure ?? null;
}

export const isPending = ({ status }: Operation): boolean => status === 'pending';

/** A failed void does not count: only one that is pending or done ends what can be captured. Contract 16.3. */
export function findVoid({ operations }: Pick<Payment, 'operations'>): Operation | undefined {
  return operations?.find(({ kind, status }) => kind === 'void' && status !== 'failed');
}
