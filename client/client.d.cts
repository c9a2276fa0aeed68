/** Types of the client. Requests and replies come from the API itself; see api.d.cts. */
import type {
  ErrorCode as ApiErrorCode,
  Order as ApiOrder,
  PaymentLink as ApiPaymentLink,
  Banks,
  Capture,
  CaptureEvent,
  CaptureRequest,
  CreateOrderRequest,
  DisputeEvent,
  Enquiry,
  EnquiryRequest,
  EventPayment,
  EventRefund,
  FailureReason,
  FullOrder,
  LineItemRequest,
  NextCall,
  OrderEvent,
  OrderToken,
  PaymentEvent,
  PaymentLinkEnquiry,
  PaymentLinkEnquiryRequest,
  PaymentLinkRequest,
  PaymentLinkUpdateRequest,
  PaymentMode,
  PaymentModes,
  PaymentRequest,
  Refund,
  RefundEvent,
  RefundRequest,
  ResolvedUser,
  ResolveUserRequest,
  ReviewEvent,
  StartedPayment,
  TestEvent,
  Transaction,
  UpdateOrderRequest,
  User,
  Void,
  VoidEvent,
  VoidRequest,
  Wallets,
} from './api.cjs';

export type {
  Address,
  Authorization,
  Bank,
  CurrencyConversion,
  Dispute,
  EventOrder,
  PaymentLinkUpdateRequest as PaymentLinkUpdate,
  Wallet,
} from './api.cjs';
export type {
  Banks,
  CaptureEvent,
  DisputeEvent,
  Enquiry,
  EventPayment,
  EventRefund,
  NextCall,
  OrderEvent,
  PaymentEvent,
  PaymentLinkEnquiry,
  PaymentMode,
  PaymentModes,
  RefundEvent,
  ReviewEvent,
  StartedPayment,
  TestEvent,
  Transaction,
  User,
  VoidEvent,
  Wallets,
};

export type Amount = number | string;
export type NewOrder = CreateOrderRequest;
export type LineItem = LineItemRequest;
/** An order with a link to pay it. */
export type NewPaymentLink = PaymentLinkRequest;
/** Fields that are absent, null or empty stay unchanged. The fields of `user` are merged with the stored ones. */
export type OrderUpdate = UpdateOrderRequest & { order_id: string };
export type Consumer = ResolveUserRequest & { order_id: string };
export type NewPayment = PaymentRequest & { order_id: string };
export type NewRefund = RefundRequest;
export type StartedRefund = Refund;
export type NewCapture = CaptureRequest;
export type StartedCapture = Capture;
export type NewVoid = VoidRequest;
export type StartedVoid = Void;

/** Some fields are only in the replies of getOrder and updateOrder. */
export type Order = ApiOrder & Partial<Omit<FullOrder, keyof ApiOrder>>;
export type PaymentLink = ApiPaymentLink & Partial<Omit<FullOrder, keyof ApiOrder>>;

export type OrderStatus = ApiOrder['status'];
export type TransactionType = Transaction['transaction_type'];
export type PaymentStatus = NonNullable<Transaction['payment_status']>;
export type RefundStatus = NonNullable<Transaction['refund_status']>;
export type SignatureVersion = Transaction['signature_version'];
/** The payment mode as replies show it. `Card` if the kind of card is unknown. */
export type PaymentModeName = NonNullable<Transaction['payment_mode']>;
export type PaymentModeCode = PaymentMode['payment_mode_code'];
/** Why a payment or refund failed. */
export type FailureCode = FailureReason['svc_error_code'];

/** An order, or the amount of one that does not exist yet. */
export type OrderOrAmount = { order_id: string } | { total_amount: Amount; currency: string };

export type RetryOptions = {
  /**
   * 1 to 255 characters. If you store your own key before the call, your repeats are safe for 24 hours, even after a
   * crash of your process. Without it each call gets a new key, which covers only the retries of the client.
   */
  idempotencyKey?: string;
};

export type ClientOptions = {
  /** The URL of the service, such as https://pay.example.com */
  baseUrl: string;
  accessKey: string;
  accessSecret: string;
  /**
   * Encrypts bodies and decrypts the replies; encrypted payloads must be enabled for the account. `getOrder` has no
   * body and is not encrypted: use `transactionEnquiry` if that matters.
   */
  encrypted?: boolean;
  /** The signature version of the account, `v3` by default. v2 does not cover the status. */
  signatureVersion?: SignatureVersion;
  /** How long one attempt may take; 15,000 by default. A call has up to four attempts. */
  timeoutMs?: number;
  /** A replacement for `fetch`, for proxies and tests. */
  fetch?: Fetch;
};

/** The type of the platform's `fetch`, where the compiler knows it. */
export type Fetch = typeof globalThis extends { fetch: infer Known } ? Known : unknown;

export type Client = {
  createOrder: (order: NewOrder) => Promise<Order>;
  /** The same with a link for the consumer. A repeat with the same content returns the same link. */
  createPaymentLink: (order: NewPaymentLink) => Promise<PaymentLink>;
  enquirePaymentLink: (link: PaymentLinkEnquiryRequest) => Promise<PaymentLinkEnquiry>;
  /** While nobody has paid or started a payment. */
  updatePaymentLink: (changes: PaymentLinkUpdateRequest) => Promise<PaymentLink>;
  /** A payment that was started before and succeeds later still counts, and the link is paid then. */
  cancelPaymentLink: (link: PaymentLinkEnquiryRequest) => Promise<PaymentLink>;
  getOrder: (ids: { order_id?: string; invoice_id?: string }) => Promise<Order>;
  /** Amounts and cart items can be changed before the first payment attempt. */
  updateOrder: (changes: OrderUpdate) => Promise<Order>;
  /** Links a consumer to the order and restricts the order to them. */
  resolveUser: (consumer: Consumer) => Promise<ResolvedUser>;
  paymentModes: (ids: { order_id: string }) => Promise<PaymentModes>;
  /** The values of `bank_code`; empty if the account does not offer net_banking. */
  listOfBanks: (order: OrderOrAmount) => Promise<Banks>;
  /** The values of `wallet_code`; empty if the account does not offer wallet. */
  listOfWallets: (order: OrderOrAmount) => Promise<Wallets>;
  /** Retried with the same key if there is no reply. */
  initiatePayment: (payment: NewPayment, options?: RetryOptions) => Promise<StartedPayment>;
  /** Retried with the same key if there is no reply. */
  refund: (refund: NewRefund, options?: RetryOptions) => Promise<StartedRefund>;
  /** Takes what a payment has reserved, or a part of it. Retried with the same key if there is no reply. */
  capture: (capture: NewCapture, options?: RetryOptions) => Promise<StartedCapture>;
  /** Releases what a payment has reserved. Retried with the same key if there is no reply. */
  void: (payment: NewVoid, options?: RetryOptions) => Promise<StartedVoid>;
  transactionEnquiry: (ids: EnquiryRequest) => Promise<Enquiry>;
  refreshToken: (refreshToken: string) => Promise<OrderToken>;
  /** See the function `verifySignature`. */
  verifySignature: (transaction: Transaction, invoiceId: string) => Promise<SignatureOutcome>;
  /** Reads the result that a consumer brings back to `callback_url`; throws unless the service made it. */
  readReturn: (response: string | null | undefined) => Promise<ReturnedPayment>;
};

/** Throws a `TypeError` if an option is missing or has a value that cannot work. */
export function createClient(options: ClientOptions): Client;

/**
 * `unsigned`: the service has not signed the transaction, because its status is not final yet or its amount is unknown.
 * It is never the outcome for a payment or refund that succeeded.
 */
export type SignatureOutcome = 'valid' | 'unsigned';

/**
 * Returns `valid` if the service made the transaction and nobody changed it. Throws `UntrustedDataError` with the code
 * `INVALID_SIGNATURE` if the signature is wrong or was removed.
 */
export function verifySignature(
  transaction: Transaction,
  invoiceId: string,
  /** During a rotation, both secrets. */
  accessSecret: string | readonly string[],
  /** The setting of the account, not the version in the reply. v2 does not cover the status. */
  version?: SignatureVersion,
): Promise<SignatureOutcome>;

export type ReturnStatus = 'success' | 'failed' | 'pending';

/**
 * The result that a consumer brings back to `callback_url`. Only the invoice, transaction, amount, currency and, in v3,
 * the status and type are signed: compare the invoice and the amount with your own order before you act on it.
 */
export type ReturnedPayment = {
  svc_order_id: string;
  svc_transaction_id: string;
  invoice_id: string;
  status: ReturnStatus;
  /** Made for the consumer. The signature does not cover it: escape it like any other input. */
  message: string;
  svc_signature: string | null;
  signature_version: SignatureVersion;
  /** Without `custom_attributes` if the redirect URL would be too long. */
  order: Omit<Enquiry['order'], 'custom_attributes'> &
    Partial<Pick<Enquiry['order'], 'custom_attributes'>>;
  /** With the names that plugins read, as in an event. */
  transaction: EventPayment;
};

/** Reads the result of a payment from the field `response`; throws if it cannot be trusted. */
export function readReturn(options: {
  /** The query parameter or form field `response`, unchanged. */
  response: string | null | undefined;
  /** During a rotation, both secrets. */
  accessSecret: string | readonly string[];
  /** The setting of the account. With v2 the status is not signed: send an enquiry before you deliver. */
  signatureVersion?: SignatureVersion;
}): Promise<ReturnedPayment>;

/** What a webhook reports. `test` is sent by `endpoint test`. A later version of the service may add types. */
export type EventType = WebhookEvent['event_type'];

/** Tell the two apart by `transaction_type`. */
export type EventTransaction = EventPayment | EventRefund;

/** Switch on `event_type`, and keep a default branch that ignores what it does not know. */
export type WebhookEvent =
  | PaymentEvent
  | RefundEvent
  | CaptureEvent
  | VoidEvent
  | DisputeEvent
  | OrderEvent
  | ReviewEvent
  | TestEvent;

/** `req.headers` of Node, a `Headers` object, or any object of headers. The case of the names does not matter. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined };

/**
 * Returns the event of a webhook. Throws `UntrustedDataError` if the service did not send it, or not now: answer 400.
 * Throws a `TypeError` if an option cannot work, such as a body that is already parsed.
 */
export function verifyWebhook(options: {
  headers: WebhookHeaders;
  /** The raw body, as it arrived: a string, a Buffer or a Uint8Array. */
  body: string | Uint8Array;
  /** The secret of the endpoint, `whsec_…`. Several are allowed, for rotations. */
  secret: string | readonly string[];
  /** How old or how far in the future a request may be; 300 by default. */
  toleranceSeconds?: number;
  /** Opens encrypted events; needed if the account encrypts its payloads. During a rotation, both secrets. */
  accessSecret?: string | readonly string[];
}): Promise<WebhookEvent>;

/** The codes that the service replies with. A later version of the service may add codes: keep a default branch. */
export type ServiceErrorCode = ApiErrorCode;

/** No reply: the call may or may not have taken effect. */
export type NetworkErrorCode = 'NETWORK_ERROR' | 'TIMEOUT';

/** Data that must not be used. */
export type UntrustedDataCode =
  | 'INVALID_SIGNATURE'
  | 'INVALID_RESULT'
  | 'UNSIGNED_RESULT'
  | 'UNSEALED_REPLY'
  | 'MISSING_HEADER'
  | 'INVALID_TIMESTAMP'
  | 'INVALID_EVENT';

export type ErrorCode =
  | ServiceErrorCode
  | NetworkErrorCode
  | UntrustedDataCode
  /** A reply that does not come from the service, such as the error page of a proxy. */
  | 'UNEXPECTED_REPLY';

/** The base of every error that a call throws. */
export class PaymentOrderError extends Error {
  readonly code: ErrorCode;
  /** The key of the payment or refund that failed: pass it on to repeat the call. Null for all other calls. */
  readonly idempotencyKey: string | null;
  /** What `fetch` or the decryption threw. */
  readonly cause?: unknown;
}

/** An error reply. */
export class ServiceCallError extends PaymentOrderError {
  readonly code: ServiceErrorCode | 'UNEXPECTED_REPLY';
  readonly status: number;
  /** Safe to show to the consumer. */
  readonly consumerMessage: string;
  /** For your team: says what to do. */
  readonly merchantMessage: string;
  /** Quote it when you ask the operator about a request. */
  readonly requestId: string | null;
}

/** No reply after all attempts. `cause` is what `fetch` threw last. */
export class NetworkError extends PaymentOrderError {
  readonly code: NetworkErrorCode;
}

/** Thrown by `verifySignature`, `readReturn`, `verifyWebhook` and sealed calls. */
export class UntrustedDataError extends PaymentOrderError {
  readonly code: UntrustedDataCode;
}
