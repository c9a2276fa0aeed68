/**
 * What a provider's delivery means, in our own closed vocabulary. Providers translate into it;
 * nothing behind them knows a provider's words.
 */

import type { MinorUnits } from '../money/money.ts';
import type { ProviderName } from '../provider-name.ts';
import type { ReviewFlag } from '../review-flag.ts';
import type { FailureReason } from './failure.ts';

/** In the order of their rank, lowest first. Contract 4.2. */
export const paymentStatuses = [
  'new',
  'pending',
  'failed',
  'authorized',
  'succeeded',
  'reversing',
  'reversed',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** In the order of their rank, lowest first. Contract 4.2. */
export const refundStatuses = ['new', 'pending', 'failed', 'succeeded'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** What a delivery says about the order it belongs to; every one that is known must agree. */
export type References = {
  /** The provider's own id of an order, learned from the first delivery that carries it. */
  readonly providerOrderId?: string;
  readonly transactionIds: readonly string[];
  readonly orderIds: readonly string[];
  readonly invoiceIds: readonly string[];
  /** Looked at one after the other, only while none before names an order. */
  readonly otherwise?: readonly References[];
};

type NoticeBase = {
  /** The provider's id of this payment or refund. */
  readonly pspTransactionId: string;
  readonly amount?: MinorUnits;
  readonly currency?: string;
  /** The provider's time of what is said; orders notices of one rank. */
  readonly occurredAtMs?: number;
  /** The provider's time of the beginning. */
  readonly startedAtMs?: number;
  /** The provider's time of the record itself, where several records share one beginning. */
  readonly recordedAtMs?: number;
  /** The time its id here is made of: the same in every notice of it, so that no order can change it. */
  readonly namedAtMs?: number;
  readonly message?: string;
  readonly flags?: readonly ReviewFlag[];
  /** The transaction that a capture or a void names, by the provider's id. */
  readonly targetPspId?: string;
  /** What the provider had captured in its whole order at a given time. */
  readonly capturedTotal?: CapturedTotal;
};

export type CapturedTotal = { readonly amount: MinorUnits; readonly atMs: number };

export type PaymentNotice = NoticeBase & {
  readonly status: PaymentStatus;
  /** What the provider's record is; a payment or an authorisation where nothing is said. */
  readonly record?: PaymentRecord;
  /** The provider's order, where one order holds several records that belong together. */
  readonly pspOrder?: string;
  /** Since when the payment has this status; absent where a delivery only mentions it in passing. */
  readonly statusSinceMs?: number;
  /** An authorisation that was never captured and was given back. Contract 4.8. */
  readonly isRelease?: true;
  readonly paymentMode?: string;
  readonly subPaymentMode?: Readonly<Record<string, string>>;
  readonly paymentArn?: string;
  readonly paymentAcquirer?: string;
  /** Charged to the consumer on top and included in the amount. */
  readonly customerFee?: MinorUnits;
  readonly offerId?: string;
  /** What an offer took off the order's amount; absent where only the offer is named. */
  readonly offerDiscount?: MinorUnits;
  readonly failure?: FailureReason;
};

/**
 * A capture takes money of an authorisation; a void takes back what it targets. An authentication tells
 * something of a payment that was started here and makes no transaction. Contract 4.9, 6.4.
 */
export type PaymentRecord =
  | 'capture'
  | 'void-payment'
  | 'void-capture'
  | 'void-authorization'
  | 'authentication';

export type RefundNotice = NoticeBase & {
  readonly status: RefundStatus;
  readonly statusSinceMs?: number;
  /** A void cancels the refund it targets; its status is that of the void. Contract 4.10. */
  readonly record?: 'void';
  readonly refundRequestId: string;
  readonly refundArn?: string;
  /** The payment or capture that is refunded; some providers name only their own order. */
  readonly paymentPspId?: string;
  readonly paymentPspOrder?: string;
  readonly failure?: FailureReason;
};

/** One delivery concerns one order: a payment, a refund, or a refund with its payment. */
export type Notice = {
  readonly references: References;
  readonly payment?: PaymentNotice;
  readonly refund?: RefundNotice;
};

/** A notice with what is known of the delivery that brought it. */
export type DeliveredNotice = Notice & {
  readonly provider: ProviderName;
  readonly deliveryKey: string;
  readonly receivedAt: Date;
};

/** A void takes back what another record did, and is no transaction of its own. */
export function isVoid({ payment, refund }: OrderNames): boolean {
  return (payment?.record?.startsWith('void') ?? false) || refund?.record === 'void';
}

/** What of a notice can name its order. */
export type OrderNames = {
  readonly references: References;
  readonly payment?: Pick<
    PaymentNotice,
    'pspTransactionId' | 'targetPspId' | 'pspOrder' | 'record'
  >;
  readonly refund?: Pick<
    RefundNotice,
    'pspTransactionId' | 'paymentPspId' | 'paymentPspOrder' | 'record'
  >;
};
