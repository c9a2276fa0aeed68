/** Types of the client. Field names are those of the API, in snake_case. A test keeps the unions equal to the service. */

export type Amount = number | string;

export type NewOrder = {
  invoice_id: string | number;
  currency: string;
  total_amount: Amount;
  amount_before_tax?: Amount;
  tax?: Amount;
  user?: {
    email?: string;
    first_name?: string;
    last_name?: string;
    country_code?: string | number;
    mobile_number?: string | number;
  } | null;
  shipping_address?: Address | null;
  billing_address?: Address | null;
  order_line_items?: LineItem[] | null;
  bank_account?: { account_number?: string; name?: string; ifsc?: string } | null;
  custom_attributes?: Record<string, string | number | boolean> | null;
  callback_url?: string;
  callback_mode?: string;
  description?: string;
  validate_order_line_item?: boolean;
  referrer_platform?: string;
  referrer_platform_version?: string;
  ip_address?: string;
  merchant_shopfront_domain?: string;
};

/** An order with a link to pay it. */
export type NewPaymentLink = NewOrder & {
  /** When the order lapses: ISO 8601 with a zone, at most 366 days ahead. */
  expires_at?: string | null;
};

/** Fields that are absent, null or empty stay unchanged. The fields of `user` are merged with the stored ones. */
export type OrderUpdate = { order_id: string } & {
  [Field in keyof Omit<NewOrder, 'invoice_id' | 'bank_account' | 'validate_order_line_item'>]?:
    | NewOrder[Field]
    | null;
};

export type Consumer = {
  order_id: string;
  mobile_number: string | number;
  country_code?: string | number;
  email?: string;
  first_name?: string;
  last_name?: string;
};

export type Address = {
  address_1?: string;
  street?: string;
  landmark?: string;
  area?: string;
  city?: string;
  state?: string;
  pincode?: string | number;
  address_type?: string;
};

export type LineItem = {
  sku_id?: string;
  title: string;
  description?: string;
  image_url?: string | false;
  rate?: Amount;
  quantity: Amount;
  amount_before_tax?: Amount;
  tax?: Amount;
  total_amount?: Amount;
};

export type OrderStatus = 'new' | 'pending' | 'completed' | 'lapsed';

export type CurrencyConversion = {
  original_currency: string;
  converted_currency: string;
  exchange_rate: number;
  conversion_reason: 'ALTERNATE_CURRENCY_CONFIG';
  original_amount_before_tax: number;
  original_tax: number;
  original_total_amount: number;
};

export type User = {
  user_id: string;
  email?: string;
  first_name?: string;
  last_name?: string;
  country_code: string;
  mobile_number?: number;
};

export type Order = {
  order_id: string;
  order_date: string;
  status: OrderStatus;
  invoice_id: string;
  user?: User;
  attempts: number;
  currency: string;
  amount_before_tax: number;
  tax: number;
  total_amount: number;
  currency_conversion?: CurrencyConversion;
  token?: string;
  token_expiration?: string;
  refresh_token?: string;
  refresh_token_expiration?: string;
  /** Empty once the order is completed or lapsed. */
  next: { action: string; url: string }[];
  /** The remaining fields are only in the replies of getOrder and updateOrder. */
  order_line_items?: LineItem[];
  shipping_address?: Address;
  callback_url?: string;
  callback_mode?: string;
  custom_attributes?: { key: string; value: string }[];
  description?: string;
};

export type PaymentLink = Order & {
  /** The URL for the consumer: it opens the checkout of the order. */
  payment_link: string;
  /** When the order lapses unless it is paid before: UTC, RFC 3339. */
  expires_at: string;
};

export type TransactionType = 'payment' | 'full_refund' | 'partial_refund';

export type PaymentStatus =
  | 'new'
  | 'pending'
  | 'failed'
  | 'authorized'
  | 'succeeded'
  | 'reversing'
  | 'reversed';

export type RefundStatus = 'new' | 'pending' | 'failed' | 'succeeded';

export type SignatureVersion = 'v2' | 'v3';

/** The payment mode as replies show it. `Card` if the kind of card is unknown. */
export type PaymentModeName =
  | 'UPI'
  | 'Credit Card'
  | 'Debit Card'
  | 'Netbanking'
  | 'Wallet'
  | 'Prepaid Card'
  | 'Credit Card EMI'
  | 'Debit Card EMI'
  | 'Pay Later'
  | 'Card';

/** Why a payment or refund failed. */
export type FailureCode =
  | 'PAYMENT_CANCELLED_BY_CONSUMER'
  | 'AUTHENTICATION_FAILED_AT_BANK'
  | 'INSUFFICIENT_FUNDS'
  | 'LIMIT_EXCEEDED'
  | 'INVALID_PAYMENT_DETAILS'
  | 'DECLINED_BY_BANK'
  | 'RISK_REJECTED'
  | 'PAYMENT_TIMED_OUT'
  | 'PROVIDER_TECHNICAL_ERROR'
  | 'PROVIDER_UNAVAILABLE'
  | 'PAYMENT_MODE_NOT_ENABLED'
  | 'ORDER_ALREADY_PAID'
  | 'PAYMENT_FAILED'
  | 'REFUND_FAILED';

export type Transaction = {
  transaction_type: TransactionType;
  completion_time: number | null;
  svc_transaction_id: string;
  payment_status: PaymentStatus | null;
  message: string | null;
  svc_signature: string | null;
  signature_version: SignatureVersion;
  failure_reason: {
    svc_error_code: FailureCode;
    svc_consumer_message: string;
    svc_merchant_message: string;
    retry_allowed: boolean;
  } | null;
  payment_partner: string | null;
  processing_payment_partner: string | null;
  psp_transaction_id: string | null;
  transaction_amount: number | null;
  transaction_currency: string | null;
  additional_charges: number | null;
  offer_discount: number | null;
  offer_id: string | null;
  payment_acquirer: string | null;
  payment_mode: PaymentModeName | null;
  payment_arn: string | null;
  emi: null;
  sub_payment_mode: Record<string, string> | null;
  refund_status: RefundStatus | null;
  refund_request_id: string | null;
  refund_arn: string | null;
};

export type Enquiry = {
  transaction: Transaction[];
  order: {
    svc_order_id: string;
    invoice_id: string;
    status: OrderStatus;
    custom_attributes: { key: string; value: string }[];
    currency_conversion: CurrencyConversion | null;
    refund_details: {
      refundable_currency: string;
      available_refundable_amount: number;
      refunded_amount: number;
      total_refundable_amount: number;
    } | null;
  };
};

export type NextCall = { action: string; url: string };

export type PaymentModeCode =
  | 'upi'
  | 'credit_card'
  | 'debit_card'
  | 'net_banking'
  | 'wallet'
  | 'prepaid_card';

export type PaymentMode = {
  payment_mode_code: PaymentModeCode;
  payment_mode: string;
  amount_before_tax: number;
  tax: number;
  currency: string;
  total_amount: number;
  additional_charges: number;
  grand_total_amount: number;
  next: NextCall[];
};

export type PaymentModes = {
  fast_payment_modes: { items: PaymentMode[] };
  other_payment_modes: { items: PaymentMode[] };
};

export type NewPayment = {
  order_id: string;
  /** `card` is routed like `credit_card`. */
  payment_mode_code: PaymentModeCode | 'card';
  /** For net_banking. */
  bank_code?: string;
  /** For wallet. */
  wallet_code?: string;
  /** For upi. Without it the consumer chooses at the provider. */
  upi_id?: string;
  callback_url?: string;
  callback_mode?: string;
};

export type RetryOptions = {
  /**
   * 1 to 255 characters. If you store your own key before the call, your repeats are safe for 24 hours, even after a
   * crash of your process. Without it each call gets a new key, which covers only the retries of the client.
   */
  idempotencyKey?: string;
};

export type StartedPayment = {
  order_id: string;
  transaction_id: string;
  /** Values other than pending and failed occur only in the reply to a repeat. */
  payment_status: Exclude<PaymentStatus, 'new'>;
  message: string;
  /** Where to send the consumer; empty if the provider refused the payment or did not answer. */
  next: NextCall[];
};

export type NewRefund = {
  /** Give the payment, or the invoice that it paid. */
  transaction_id?: string;
  invoice_id?: string;
  /** If it is left out, or undefined, everything that is available is refunded. The service refuses null and NaN. */
  refund_amount?: Amount;
  refund_request_id?: string;
};

export type StartedRefund = {
  orignal_payment_transaction_id: string;
  original_payment_transaction_id: string;
  transaction_id: string;
  refund_request_id: string | null;
  refund_status: Exclude<RefundStatus, 'new'>;
  refund_arn: string | null;
  transaction_type: Exclude<TransactionType, 'payment'>;
  next: NextCall[];
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
  getOrder: (ids: { order_id?: string; invoice_id?: string }) => Promise<Order>;
  /** Amounts and cart items can be changed before the first payment attempt. */
  updateOrder: (changes: OrderUpdate) => Promise<Order>;
  /** Links a consumer to the order and restricts the order to them. */
  resolveUser: (
    consumer: Consumer,
  ) => Promise<{ user: User; next: { action: string; url: string }[] }>;
  paymentModes: (ids: { order_id: string }) => Promise<PaymentModes>;
  /** The values of `bank_code`; empty if the account does not offer net_banking. */
  listOfBanks: (ids: { order_id: string }) => Promise<{
    items: { bank_code: string; name: string }[];
  }>;
  /** The values of `wallet_code`; empty if the account does not offer wallet. */
  listOfWallets: (ids: { order_id: string }) => Promise<{
    items: { wallet_code: string; name: string }[];
  }>;
  /** Retried with the same key if there is no reply. */
  initiatePayment: (payment: NewPayment, options?: RetryOptions) => Promise<StartedPayment>;
  /** Retried with the same key if there is no reply. */
  refund: (refund: NewRefund, options?: RetryOptions) => Promise<StartedRefund>;
  transactionEnquiry: (ids: {
    transaction_id?: string;
    order_id?: string;
    invoice_id?: string;
  }) => Promise<Enquiry>;
  refreshToken: (
    refreshToken: string,
  ) => Promise<{ token: string; token_expiration: string; expires_at: string }>;
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
  transaction: Transaction & {
    /** The same value as `svc_signature`. */
    signature: string | null;
    /** The same value as `payment_status`. */
    status: Transaction['payment_status'];
  };
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
export type EventType =
  | 'payment_authorized'
  | 'payment_success'
  | 'payment_failed'
  | 'payment_reversed'
  | 'refund_pending'
  | 'refund_success'
  | 'refund_failed'
  | 'order_completed'
  | 'order_lapsed'
  | 'review_needed'
  | 'test';

/** The transaction of the enquiry at the time of the event. */
export type EventTransaction = Transaction & {
  /** The same value as `svc_signature`. */
  signature: string | null;
  /** `payment_status` of a payment, `refund_status` of a refund. */
  status: PaymentStatus | RefundStatus;
};

/** The order of the enquiry at the time of the event. */
export type EventOrder = Enquiry['order'] & {
  currency: string;
  amount_before_tax: number;
  tax: number;
  total_amount: number;
};

/** The fields that all events have. */
export type EventFields = {
  version: 'v3';
  /** The header `webhook-id`. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601. */
  occurred_at: string;
  message: string;
  is_webhook: true;
};

/** The fields of events about an order or one of its transactions. */
export type OrderEventFields = EventFields & {
  svc_order_id: string;
  order: EventOrder;
  user: User | null;
};

export type PaymentEvent = OrderEventFields & {
  event_type: 'payment_authorized' | 'payment_success' | 'payment_failed' | 'payment_reversed';
  status: 'authorized' | 'succeeded' | 'failed' | 'reversing' | 'reversed';
  svc_transaction_id: string;
  transaction: EventTransaction & { transaction_type: 'payment'; payment_status: PaymentStatus };
};

export type RefundEvent = OrderEventFields & {
  event_type: 'refund_pending' | 'refund_success' | 'refund_failed';
  status: 'pending' | 'succeeded' | 'failed';
  svc_transaction_id: string;
  transaction: EventTransaction & {
    transaction_type: Exclude<TransactionType, 'payment'>;
    refund_status: RefundStatus;
  };
};

export type OrderEvent = OrderEventFields & {
  event_type: 'order_completed' | 'order_lapsed';
  status: 'completed' | 'lapsed';
  svc_transaction_id: null;
  transaction: null;
};

/** A person should look at the order, or at the transaction if there is one. */
export type ReviewEvent = OrderEventFields & {
  event_type: 'review_needed';
  /** The status of the transaction if there is one, otherwise of the order. `removed`: it is not in the enquiry any more. */
  status: PaymentStatus | RefundStatus | OrderStatus | 'removed';
  /**
   * Names the flag, such as `amount_mismatch`. `status_withdrawn` and `transaction_removed` take back an earlier event.
   */
  message: string;
  svc_transaction_id: string | null;
  transaction: EventTransaction | null;
};

export type TestEvent = EventFields & {
  event_type: 'test';
  sequence: 0;
  status: 'test';
  svc_order_id: null;
  svc_transaction_id: null;
  order: null;
  transaction: null;
  user: null;
};

/** Switch on `event_type`, and keep a default branch that ignores what it does not know. */
export type WebhookEvent = PaymentEvent | RefundEvent | OrderEvent | ReviewEvent | TestEvent;

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
export type ServiceErrorCode =
  | 'INVALID_REQUEST_PARAMETER'
  | 'ENCRYPTION_NOT_ENABLED'
  | 'DECRYPTION_FAILED'
  | 'AUTHENTICATION_FAILED'
  | 'INVALID_TOKEN'
  | 'TOKEN_EXPIRED'
  | 'PERMISSION_DENIED'
  | 'CONFIRMATION_REQUIRED'
  | 'ACCOUNT_SUSPENDED'
  | 'ORDER_NOT_FOUND'
  | 'INVOICE_NOT_FOUND'
  | 'TRANSACTION_NOT_FOUND'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'DUPLICATE_INVOICE_ID'
  | 'ORDER_COMPLETED'
  | 'ORDER_LAPSED'
  | 'ORDER_CONFLICT'
  | 'DUPLICATE_REFUND_REQUEST'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_NOT_CONFIRMED'
  | 'PAYLOAD_TOO_LARGE'
  | 'INVALID_REFUND_AMOUNT'
  | 'REFUND_NOT_ALLOWED'
  | 'PAYMENT_MODE_NOT_ENABLED'
  | 'RATE_LIMITED'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE';

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
