/**
 * Notices: the meaning of a provider's delivery in our own closed vocabulary. Each provider translates its deliveries
 * into it, and no other code depends on a provider's terms.
 */
import type { DisputeNotice } from '../disputes/dispute.ts';
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

export const refundStatuses = ['new', 'pending', 'failed', 'succeeded'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** The statuses of refunds are some of those of payments, in the same order. */
export const rankOf = (status: PaymentStatus): number => paymentStatuses.indexOf(status);

/** The references by which a delivery identifies its order. All that we know must lead to the same order. */
export type References = {
  /** The provider's own id of the order; we learn it from the first delivery that contains it. */
  readonly providerOrderId?: string;
  readonly transactionIds: readonly string[];
  readonly orderIds: readonly string[];
  readonly invoiceIds: readonly string[];
  /** Tried one after the other while the references before find no order. */
  readonly fallbacks?: readonly References[];
};

type NoticeBase = {
  readonly pspTransactionId: string;
  readonly amount?: MinorUnits;
  readonly currency?: string;
  /** When the reported event happened, by the provider's clock; orders notices of the same rank. */
  readonly occurredAtMs?: number;
  readonly startedAtMs?: number;
  /** When this record was created, by the provider's clock; several records may share one start. */
  readonly recordedAtMs?: number;
  /** The time in our transaction id. It is the same in every notice, so that the order of arrival does not matter. */
  readonly namedAtMs?: number;
  readonly message?: string;
  readonly flags?: readonly ReviewFlag[];
  /** The provider's id of the record that a capture or a void refers to. */
  readonly targetPspId?: string;
  readonly capturedTotal?: Total;
  /** The total that the provider had refunded of its order or payment at a given time. Contract 4.15. */
  readonly refundedTotal?: Total;
};

export type Total = { readonly amount: MinorUnits; readonly atMs: number };

export type PaymentNotice = NoticeBase & {
  readonly status: PaymentStatus;
  /** The kind of the provider's record; absent for a payment or an authorisation. */
  readonly record?: PaymentRecord;
  /** The provider's order, if several records of one order belong together. */
  readonly pspOrder?: string;
  /** Since when the payment has this status; absent if the delivery is mainly about something else. */
  readonly statusSinceMs?: number;
  /** True for an authorisation that was released without ever being captured. Contract 4.8. */
  readonly isRelease?: true;
  readonly paymentMode?: string;
  readonly subPaymentMode?: Readonly<Record<string, string>>;
  readonly paymentArn?: string;
  readonly paymentAcquirer?: string;
  /** A fee charged to the consumer; included in the amount. */
  readonly customerFee?: MinorUnits;
  /** The amount includes a fee that the provider does not report yet. */
  readonly hasUnknownFee?: true;
  readonly isPartlyApproved?: true;
  readonly offerId?: string;
  /** The amount of the provider's order, if the delivery has that order beside an offer. Contract 4.11. */
  readonly providerOrderAmount?: MinorUnits;
  readonly failure?: FailureReason;
};

/**
 * A capture takes money from an authorisation; a void cancels its target. An authentication is about a payment that
 * was started here and creates no transaction. Contract 4.9, 6.4.
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
  /** A void cancels the refund it targets; the status of such a notice is that of the void. Contract 4.10. */
  readonly record?: 'void';
  readonly refundRequestId: string;
  readonly refundArn?: string;
  /** The refunded payment or capture; some providers report only their own order. */
  readonly paymentPspId?: string;
  readonly paymentPspOrder?: string;
  readonly failure?: FailureReason;
};

/** A notice concerns one order: a payment, a refund, a refund with its payment, or a dispute. */
export type Notice = {
  readonly references: References;
  readonly payment?: PaymentNotice;
  readonly refund?: RefundNotice;
  readonly dispute?: DisputeNotice;
};

export type DeliveredNotice = Notice & {
  readonly provider: ProviderName;
  readonly deliveryKey: string;
  readonly receivedAt: Date;
};

/** A void and a dispute are about another record, and are parked until it is known. */
export function needsTarget(notice: OrderReferences): boolean {
  return isVoid(notice) || notice.dispute !== undefined;
}

/** A void cancels another record, and is no transaction of its own. */
export function isVoid({ payment, refund }: OrderReferences): boolean {
  return isVoidRecord(payment) || isVoidRecord(refund);
}

export function isVoidRecord(notice: Pick<PaymentNotice | RefundNotice, 'record'> | undefined) {
  return notice?.record?.startsWith('void') ?? false;
}

export type OrderReferences = {
  readonly references: References;
  readonly payment?: Pick<
    PaymentNotice,
    'pspTransactionId' | 'targetPspId' | 'pspOrder' | 'record'
  >;
  readonly refund?: Pick<
    RefundNotice,
    'pspTransactionId' | 'paymentPspId' | 'paymentPspOrder' | 'record'
  >;
  readonly dispute?: Pick<DisputeNotice, 'paymentPspId' | 'paymentPspOrder'>;
};
