/**
 * A payment or a refund that was asked for here. It is a fact like a provider's notice, folded with
 * them: our call is known before any provider speaks, and what it came to is learned once.
 */

import type { MinorUnits } from '../money/money.ts';
import { type PaymentModeCode, paymentModes } from '../payment-mode.ts';
import type { FailureReason } from './failure.ts';
import type { PaymentNotice, PaymentStatus, RefundNotice, RefundStatus } from './notice.ts';

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
  /** Where and how the consumer returns, where it was said for this payment alone. */
  readonly callbackUrl?: string;
  readonly callbackMode?: string;
  readonly refund?: {
    readonly requestId: string;
    readonly paymentPspId: string;
    /** The request had no amount. Contract 11.9. */
    readonly isAll?: true;
    /** Where we choose the provider's id, it is known before the provider speaks. */
    readonly pspTransactionId?: string;
    /** One for each capture, where one refund is split over several. Contract 4.12. */
    readonly parts?: readonly StartedPart[];
  };
  /** Of a call that was refused. */
  readonly failure?: FailureReason;
  readonly refusedAtMs?: number;
  /** Nobody came to pay before the order lapsed. It is polled for some days more. Contract 4.13. */
  readonly isOver?: true;
};

/** A part of a refund, which is a call of its own. */
export type StartedPart = {
  readonly pspTransactionId: string;
  readonly capturePspId: string;
  readonly amount: MinorUnits;
  readonly call: CallState;
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
  const { isOver: _isOver, ...rest } = learnCall(start, news);
  const providerOrderId = news.call === 'taken' ? news.providerOrderId : undefined;
  return {
    ...rest,
    ...(providerOrderId !== undefined && { providerOrderId }),
    ...(news.call === 'refused' && news.isOver && { isOver: true }),
  };
}

/**
 * News of the parts of a refund that have these ids, and of no other: a part that was refused stays refused when the
 * provider knows only the others. The whole is as far as its slowest part.
 */
export function learnParts(start: Start, pspIds: readonly string[], news: CallNews): Start {
  const { refund } = start;
  if (!refund?.parts) return learn(start, news);
  const parts = refund.parts.map((part) =>
    pspIds.includes(part.pspTransactionId) ? learnCall(part, news) : part,
  );
  const slowest = (['open', 'unknown', 'taken'] as const).find((call) =>
    parts.some((part) => part.call === call),
  );
  return { ...start, call: slowest ?? 'refused', refund: { ...refund, parts } };
}

type Callable = Pick<Start, 'call' | 'failure' | 'refusedAtMs'>;

function learnCall<Called extends Callable>(called: Called, news: CallNews): Called {
  switch (news.call) {
    case 'taken': {
      const { failure: _failure, refusedAtMs: _refusedAtMs, ...rest } = called;
      return { ...rest, call: 'taken' } as Called;
    }
    case 'unknown':
      return called.call === 'open' ? { ...called, call: 'unknown' } : called;
    case 'refused':
      return called.call === 'taken' && !news.isOver
        ? called
        : { ...called, call: 'refused', failure: news.failure, refusedAtMs: news.atMs };
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
    ...(start.modeCode !== undefined && { paymentMode: paymentModes[start.modeCode] }),
    ...(start.subPaymentMode !== undefined && { subPaymentMode: start.subPaymentMode }),
  };
}

/** One for the refund, or one for each of its parts. */
export function refundsOfStart(
  start: Start,
): ReadonlyArray<RefundNotice & { readonly deliveryKey: string }> {
  const { refund } = start;
  const base = { ...lowest, ...saidBy(start), refundRequestId: refund?.requestId ?? '' };
  const parts = refund?.parts ?? [];
  if (parts.length === 0) {
    return [
      {
        ...base,
        status: refundStatusOf[start.call],
        pspTransactionId: refund?.pspTransactionId ?? '',
        ...(refund && { paymentPspId: refund.paymentPspId }),
      },
    ];
  }
  return parts.map((part) => ({
    ...base,
    ...outcomeOf(part),
    status: refundStatusOf[part.call],
    amount: part.amount,
    pspTransactionId: part.pspTransactionId,
    paymentPspId: part.capturePspId,
  }));
}

function saidBy(start: Start) {
  const { amount, currency, atMs } = start;
  return {
    pspTransactionId: '',
    amount,
    currency,
    startedAtMs: atMs,
    recordedAtMs: atMs,
    ...outcomeOf(start),
  };
}

function outcomeOf({ failure, refusedAtMs }: Callable) {
  return {
    ...(failure !== undefined && { failure, message: failure.merchantMessage }),
    ...(refusedAtMs !== undefined && { statusSinceMs: refusedAtMs }),
  };
}
