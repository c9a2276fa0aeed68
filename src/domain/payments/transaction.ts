/**
 * Payments and refunds. The central guarantee: the state of a transaction is a pure function of the set of its
 * notices and does not depend on their order of arrival. Contract 4.2.
 */
import type { Dispute } from '../disputes/dispute.ts';
import type { MinorUnits } from '../money/money.ts';
import type { ProviderName } from '../provider-name.ts';
import type { ReviewFlag } from '../review-flag.ts';
import type { FailureReason } from './failure.ts';
import type { PaymentNotice, PaymentStatus, RefundNotice, RefundStatus } from './notice.ts';
import type { Start } from './start.ts';

/**
 * A notice with the key of its delivery, which breaks ties of time, and with the references by which it may match a
 * transaction that was started here.
 */
export type Stored<Notice> = Notice & {
  readonly deliveryKey: string;
  readonly names?: StartReferences;
};

export type StoredPaymentNotice = Stored<PaymentNotice>;
export type StoredRefundNotice = Stored<RefundNotice>;
export type AnyNotice = StoredPaymentNotice | StoredRefundNotice;

export type StartReferences = {
  readonly transactionIds?: readonly string[];
  readonly providerOrderId?: string;
};

type TransactionBase = {
  readonly transactionId: string;
  readonly provider: ProviderName;
  /** Null for a transaction that was not started here. */
  readonly start: Start | null;
  readonly pspTransactionId: string | null;
  readonly amount: MinorUnits | null;
  readonly currency: string | null;
  readonly startedAtMs: number | null;
  readonly recordedAtMs: number | null;
  /** Since when the status is final, by the provider's clock. */
  readonly finishedAtMs: number | null;
  readonly message: string | null;
  readonly failure: FailureReason | null;
  readonly flags: readonly ReviewFlag[];
};

/** A capture of an authorisation, with the amount it counts for. Contract 4.9. */
export type Capture = {
  readonly pspId: string;
  /** 0 for failed, pending and voided captures. */
  readonly amount: MinorUnits;
  readonly status: 'pending' | 'failed' | 'captured' | 'voiding' | 'voided';
  readonly atMs: number | null;
};

export type VoidState = 'pending' | 'done';

/** An authorisation that the shop captures itself. Contract 16.2. */
export type Hold = {
  readonly amount: MinorUnits;
  readonly atMs: number;
  readonly expiresAtMs: number;
};

export const operationStatuses = ['pending', 'succeeded', 'failed'] as const;
export type OperationStatus = (typeof operationStatuses)[number];

/** A capture or void that was requested here. Contract 16.3. */
export type Operation = {
  readonly operationId: string;
  readonly kind: 'capture' | 'void';
  readonly amount: MinorUnits;
  readonly status: OperationStatus;
  /** False while its first call to the provider has no result. */
  readonly isSent: boolean;
  readonly atMs: number;
  readonly failure: FailureReason | null;
};

export type Payment = TransactionBase & {
  readonly type: 'payment';
  readonly status: PaymentStatus;
  readonly paymentMode: string | null;
  readonly subPaymentMode: Readonly<Record<string, string>> | null;
  readonly paymentArn: string | null;
  readonly paymentAcquirer: string | null;
  readonly customerFee: MinorUnits | null;
  readonly offerId: string | null;
  readonly offerDiscount: MinorUnits | null;
  /** Oldest first; null for a payment without separate capture records. */
  readonly captures: readonly Capture[] | null;
  /** A void of the payment, or of the uncaptured rest of its authorisation. */
  readonly voided: VoidState | null;
  /** What the provider captured of a payment made in one step, if that is less than its amount. Contract 4.17. */
  readonly capturedLimit: MinorUnits | null;
  /** What the provider says was refunded beyond the refunds that are known here. It cannot be refunded. Contract 4.15. */
  readonly unknownRefunds: MinorUnits | null;
  /** Oldest first; null for a payment that nobody disputed. Contract 17. */
  readonly disputes: readonly Dispute[] | null;
  /** Null unless the shop captures the payment itself, and until it is authorised. It stays when the hold has ended. */
  readonly hold: Hold | null;
  /** Captures and voids that were requested here, oldest first; null if none was. Contract 16. */
  readonly operations: readonly Operation[] | null;
  /** Set if part of an authorisation was captured and the rest may still be. It is settled when the order lapses. */
  readonly partialCapture: {
    readonly captured: MinorUnits;
    readonly authorized: MinorUnits | null;
  } | null;
  /** Since when it is authorized; null in every other status. */
  readonly authorizedAtMs: number | null;
  readonly notices: readonly StoredPaymentNotice[];
};

export type Refund = TransactionBase & {
  readonly type: 'refund';
  readonly status: RefundStatus;
  readonly refundRequestId: string | null;
  readonly refundArn: string | null;
  readonly paymentPspId: string | null;
  readonly paymentPspOrder: string | null;
  /** Set if the refund was split over several captures. Contract 4.12. */
  readonly parts: readonly RefundPart[] | null;
  /** The provider's ids of the refund or of its parts that were voided. Contract 4.10. */
  readonly voidedPspIds: readonly string[] | null;
  readonly notices: readonly StoredRefundNotice[];
};

export type RefundPart = {
  readonly pspId: string;
  readonly capturePspId: string;
  readonly amount: MinorUnits;
  readonly status: RefundStatus;
};

export type Transaction = Payment | Refund;

export type Expected = { readonly total: MinorUnits; readonly currency: string };

const finalStatuses: ReadonlySet<string> = new Set(['failed', 'succeeded', 'reversed']);

export const isFinal = (status: PaymentStatus | RefundStatus): boolean => finalStatuses.has(status);

/** The amount without the consumer's fee: it counts for the order and can be refunded. */
export function netAmount({ amount, customerFee }: Payment): MinorUnits {
  return Math.max(0, (amount ?? 0) - (customerFee ?? 0));
}

/** True when the payment has the expected amount, with or without fee, plus the discount of an offer. Contract 4.11. */
export function matchesExpected(payment: Payment, expected: Expected): boolean {
  const { amount, currency, offerDiscount } = payment;
  if (currency !== expected.currency || amount === null) return false;
  const discount = offerDiscount ?? 0;
  return amount + discount === expected.total || netAmount(payment) + discount === expected.total;
}

/** Flags are a sorted set, so that equal states compare equal. */
export function withFlags(flags: readonly ReviewFlag[], more: readonly ReviewFlag[]) {
  return sortedOnce(more.length === 0 ? flags : [...flags, ...more]);
}

export function setFlag<Kind extends Transaction>(
  transaction: Kind,
  flag: ReviewFlag,
  isSet: boolean,
): Kind {
  const { flags } = transaction;
  if (flags.includes(flag) === isSet) return transaction;
  const changed = isSet ? withFlags(flags, [flag]) : flags.filter((each) => each !== flag);
  return { ...transaction, flags: changed };
}

export function sortedOnce<Text extends string>(texts: readonly Text[]): readonly Text[] {
  return texts.length < 2 ? texts : [...new Set(texts)].sort();
}
