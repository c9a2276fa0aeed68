/**
 * A payment or a refund that was asked for here. It is a fact like a provider's notice, folded with
 * them: our call is known before any provider speaks, and what it came to is learned once.
 */
import type { FailureReason } from './failure.ts';
import type { MinorUnits } from './money.ts';
import type { PaymentNotice, PaymentStatus, RefundNotice, RefundStatus } from './notice.ts';
import { type PaymentModeCode, paymentModes } from './payment-mode.ts';

/** What became of our call to the provider. */
export type CallState =
  /** It is being made, or the process ended while it was. */
  | 'open'
  /** The provider has it. */
  | 'taken'
  /** It was made and nobody knows what became of it. */
  | 'unknown'
  /** The provider refused it, or never had it: nothing came of it. */
  | 'refused';

export type Start = {
  readonly atMs: number;
  readonly amount: MinorUnits;
  readonly currency: string;
  readonly call: CallState;
  /** The provider's own id of the order that our call made there. */
  readonly providerOrderId?: string;
  /** Our consumer pays this way, until the provider knows better. */
  readonly modeCode?: PaymentModeCode;
  readonly subPaymentMode?: Readonly<Record<string, string>>;
  /** Where the consumer returns to. */
  readonly callbackUrl?: string;
  readonly refund?: {
    readonly requestId: string;
    readonly paymentPspId: string;
    /** Where we choose the provider's id, it is known before the provider speaks. */
    readonly pspTransactionId?: string;
  };
  /** Of a call that was refused. */
  readonly failure?: FailureReason;
  readonly refusedAtMs?: number;
};

/** What was learned of our call. */
export type CallNews =
  | { readonly call: 'taken'; readonly providerOrderId?: string | undefined }
  | { readonly call: 'unknown' }
  /** `isOver`: even what the provider has comes to nothing any more. */
  | {
      readonly call: 'refused';
      readonly failure: FailureReason;
      readonly atMs: number;
      readonly isOver?: true;
    };

/** A start with the news: what is known is not forgotten for what is not. */
export function learn(start: Start, news: CallNews): Start {
  switch (news.call) {
    case 'taken': {
      const { failure: _failure, refusedAtMs: _refusedAtMs, ...rest } = start;
      const { providerOrderId = start.providerOrderId } = news;
      return { ...rest, call: 'taken', ...(providerOrderId !== undefined && { providerOrderId }) };
    }
    case 'unknown':
      return start.call === 'open' ? { ...start, call: 'unknown' } : start;
    case 'refused':
      return start.call === 'taken' && !news.isOver
        ? start
        : { ...start, call: 'refused', failure: news.failure, refusedAtMs: news.atMs };
    default:
      return news satisfies never;
  }
}

const paymentStatusOf: Readonly<Record<CallState, PaymentStatus>> = {
  open: 'new',
  taken: 'pending',
  unknown: 'pending',
  refused: 'failed',
};

/** The money of a refund that was asked for is spoken for at once, whether the provider has it or not. */
const refundStatusOf: Readonly<Record<CallState, RefundStatus>> = {
  open: 'pending',
  taken: 'pending',
  unknown: 'pending',
  refused: 'failed',
};

/** Before anything a provider said at the same rank: an empty key and no time lose every tie. */
const lowest = { deliveryKey: '' } as const;

export function paymentOfStart(start: Start): PaymentNotice & { readonly deliveryKey: string } {
  return {
    ...lowest,
    ...saidBy(start),
    status: paymentStatusOf[start.call],
    makesTransaction: false,
    ...(start.modeCode !== undefined && { paymentMode: paymentModes[start.modeCode] }),
    ...(start.subPaymentMode !== undefined && { subPaymentMode: start.subPaymentMode }),
  };
}

export function refundOfStart(start: Start): RefundNotice & { readonly deliveryKey: string } {
  const { refund } = start;
  return {
    ...lowest,
    ...saidBy(start),
    status: refundStatusOf[start.call],
    pspTransactionId: refund?.pspTransactionId ?? '',
    refundRequestId: refund?.requestId ?? '',
    ...(refund && { paymentPspId: refund.paymentPspId }),
  };
}

function saidBy({ amount, currency, atMs, failure, refusedAtMs }: Start) {
  return {
    pspTransactionId: '',
    amount,
    currency,
    startedAtMs: atMs,
    recordedAtMs: atMs,
    ...(failure !== undefined && { failure, message: failure.merchantMessage }),
    ...(refusedAtMs !== undefined && { statusSinceMs: refusedAtMs }),
  };
}
