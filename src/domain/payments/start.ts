/**
 * A start: a payment or refund that was requested here, and the result of our call to the provider. It is folded
 * together with the provider's notices, so the transaction exists before the provider reports anything.
 */
import type { MinorUnits } from '../money/money.ts';
import { type PaymentModeCode, paymentModes } from '../payment-mode.ts';
import { withoutAbsent } from '../without-absent.ts';
import type { FailureReason } from './failure.ts';
import type { PaymentNotice, PaymentStatus, RefundNotice } from './notice.ts';

export type CallState =
  /** In progress, or the process ended during the call. */
  | 'open'
  /** The provider accepted it. */
  | 'taken'
  /** Sent, but its result is not known. */
  | 'unknown'
  /** It certainly did not reach the provider, and is sent again. Only for refunds. */
  | 'unsent'
  /** The provider refused it, or a payment certainly did not reach it. */
  | 'refused';

export type Start = {
  readonly atMs: number;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly call: CallState;
  readonly providerOrderId?: string;
  /** The provider's payment page, if our call returned one. A consumer who lost the page can continue there. */
  readonly redirectUrl?: string;
  /** Opens the consumer's UPI app with this payment. Contract 11.4. */
  readonly intentUrl?: string;
  /** The requested payment mode; shown until the provider reports the actual one. */
  readonly modeCode?: PaymentModeCode;
  /** The shop captures the payment itself, and its provider holds the amount for so many days. Contract 16.1. */
  readonly holdDays?: number;
  readonly subPaymentMode?: Readonly<Record<string, string>>;
  readonly callbackUrl?: string;
  readonly callbackMode?: string;
  readonly refund?: {
    readonly requestId: string;
    readonly paymentPspId: string;
    /** The request had no amount. Contract 11.9. */
    readonly isAll?: true;
    /** Nobody requested it: the payment succeeded after its order lapsed. Contract 19.3. */
    readonly isLate?: true;
    /** Known before the call if we choose the provider's id. */
    readonly pspTransactionId?: string;
    /** One per capture, if the refund is split over several. Contract 4.12. */
    readonly parts?: readonly StartedPart[];
  };
  readonly failure?: FailureReason;
  readonly refusedAtMs?: number;
  /** The order lapsed before the consumer paid. The payment is polled for some more days. Contract 4.13. */
  readonly isOver?: true;
  /** Where the payment was started; absent for initiate-payment. The consumer returns to the checkout page. */
  readonly origin?: 'checkout';
  /** The checkout page was in a frame, which waits for the result. Contract 14.8. */
  readonly inFrame?: true;
  /** The consumer chose another way to pay, and the provider knew of no attempt. Contract 14.3. */
  readonly givenUpAtMs?: number;
};

/** A part of a split refund. Each part is a separate call to the provider. */
export type StartedPart = Callable & {
  readonly pspTransactionId: string;
  readonly capturePspId: string;
  readonly amount: MinorUnits;
};

export type Callable = Pick<Start, 'call' | 'failure' | 'refusedAtMs'>;

export type CallResult =
  | ({ readonly call: 'taken' } & Taken)
  /** `open`: a call that did not reach the provider is sent now. */
  | { readonly call: 'unknown' | 'unsent' | 'open' }
  /** `isOver`: the payment failed although the provider accepted the call. */
  | {
      readonly call: 'refused';
      readonly failure: FailureReason;
      readonly atMs: number;
      readonly isOver?: true;
    };

/** What the provider returned for an accepted call; a poll returns no addresses. */
type Taken = Pick<Start, 'providerOrderId' | 'redirectUrl' | 'intentUrl'>;

/** Adds the result of a call to its start. An unknown result never replaces a known one. Contract 4.16. */
export function addCallResult(start: Start, result: CallResult): Start {
  const { isOver: _isOver, ...rest } = updateCall(start, result);
  const { providerOrderId, redirectUrl, intentUrl }: Taken = result.call === 'taken' ? result : {};
  return {
    ...rest,
    ...withoutAbsent({ providerOrderId, redirectUrl, intentUrl }),
    ...(result.call === 'refused' && result.isOver && { isOver: true }),
  };
}

/**
 * Adds the result to the parts of a refund with these ids only: a refused part stays refused when the provider knows
 * the others. The refund as a whole has the call state of its slowest part.
 */
export function addPartResult(start: Start, pspIds: readonly string[], result: CallResult): Start {
  const { refund } = start;
  if (!refund?.parts) return addCallResult(start, result);
  const parts = refund.parts.map((part) =>
    pspIds.includes(part.pspTransactionId) ? updateCall(part, result) : part,
  );
  const slowest = (['open', 'unknown', 'unsent', 'taken'] as const).find((call) =>
    parts.some((part) => part.call === call),
  );
  return { ...start, call: slowest ?? 'refused', refund: { ...refund, parts } };
}

/** The states of a call that a result without an answer replaces. */
const replacedBy: Readonly<Record<'unknown' | 'unsent' | 'open', readonly CallState[]>> = {
  unknown: ['open', 'unsent'],
  unsent: ['open'],
  open: ['unsent'],
};

export function updateCall<Called extends Callable>(called: Called, result: CallResult): Called {
  const { call } = result;
  if (call === 'taken') {
    const { failure: _failure, refusedAtMs: _refusedAtMs, ...rest } = called;
    return { ...rest, call } as Called;
  }
  if (call !== 'refused') {
    return replacedBy[call].includes(called.call) ? { ...called, call } : called;
  }
  if (called.call === 'taken' && !result.isOver) return called;
  return { ...called, call, failure: result.failure, refusedAtMs: result.atMs };
}

const paymentStatusOf: Readonly<Record<CallState, PaymentStatus>> = {
  open: 'new',
  taken: 'pending',
  unknown: 'pending',
  unsent: 'pending',
  refused: 'failed',
};

/** A requested refund is pending immediately: its amount must not be available for another refund. */
const refundStatusOf = ({ call }: Callable) => (call === 'refused' ? 'failed' : 'pending');

/** Ranks below every notice of a provider with the same status: an empty key and no time lose every tie. */
const lowest = { deliveryKey: '' } as const;

export function paymentNoticeOf(start: Start): PaymentNotice & { readonly deliveryKey: string } {
  return {
    ...lowest,
    ...commonFieldsOf(start),
    status: paymentStatusOf[start.call],
    ...(start.modeCode !== undefined && { paymentMode: paymentModes[start.modeCode] }),
    ...(start.subPaymentMode !== undefined && { subPaymentMode: start.subPaymentMode }),
  };
}

export function refundNoticesOf(
  start: Start,
): ReadonlyArray<RefundNotice & { readonly deliveryKey: string }> {
  const { refund } = start;
  const base = { ...lowest, ...commonFieldsOf(start), refundRequestId: refund?.requestId ?? '' };
  const parts = refund?.parts ?? [];
  if (parts.length === 0) {
    return [
      {
        ...base,
        status: refundStatusOf(start),
        pspTransactionId: refund?.pspTransactionId ?? '',
        ...(refund && { paymentPspId: refund.paymentPspId }),
      },
    ];
  }
  return parts.map((part) => ({
    ...base,
    ...outcomeOf(part),
    status: refundStatusOf(part),
    amount: part.amount,
    pspTransactionId: part.pspTransactionId,
    paymentPspId: part.capturePspId,
  }));
}

function commonFieldsOf(start: Start) {
  const { amount, currency, atMs } = start;
  const times = { startedAtMs: atMs, recordedAtMs: atMs };
  return { pspTransactionId: '', amount, currency, ...times, ...outcomeOf(start) };
}

function outcomeOf({ failure, refusedAtMs }: Callable) {
  const message = failure?.merchantMessage;
  return withoutAbsent({ failure, message, statusSinceMs: refusedAtMs });
}
