/**
 * What a provider's delivery means, in our own closed vocabulary. Providers translate into it;
 * nothing behind them knows a provider's words.
 */
import type { FailureReason } from './failure.ts';
import type { MinorUnits } from './money.ts';

/** The name of a provider's folder and of its webhook path, such as `partner`. */
export type ProviderName = string;

/** In the order of their rank, lowest first. Decision 4.2. */
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

/** In the order of their rank, lowest first. Decision 4.2. */
export const refundStatuses = ['new', 'pending', 'failed', 'succeeded'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Why a person should look at a transaction, an order or a delivery. */
export type ReviewFlag =
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'duplicate_capture'
  | 'payment_reversed'
  | 'refund_conflict'
  | 'over_refunded'
  | 'merchant_mismatch'
  | 'reference_conflict'
  | 'target_unknown'
  | 'chargeback';

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
};

export type PaymentNotice = NoticeBase & {
  readonly status: PaymentStatus;
  /** Since when the payment has this status; absent where a delivery only mentions it in passing. */
  readonly statusSinceMs?: number;
  /** A capture may take a part: it succeeds only when the amount reaches what is expected. */
  readonly isCapture?: true;
  /** Another name of the same payment: a capture has an id of its own, which voids and refunds name. */
  readonly aliasPspId?: string;
  /** The void that says so; one that failed takes back what it said while it was pending. */
  readonly voidPspId?: string;
  /** False for what says something of a payment but is none of its own. Decision 6.4. */
  readonly makesTransaction?: false;
  readonly paymentMode?: string;
  readonly subPaymentMode?: Readonly<Record<string, string>>;
  readonly paymentArn?: string;
  readonly paymentAcquirer?: string;
  /** Charged to the consumer on top and included in the amount. */
  readonly customerFee?: MinorUnits;
  readonly failure?: FailureReason;
};

export type RefundNotice = NoticeBase & {
  readonly status: RefundStatus;
  readonly statusSinceMs?: number;
  readonly refundRequestId: string;
  readonly refundArn?: string;
  /** The payment that is refunded; a bank gateway may name its order only. */
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
