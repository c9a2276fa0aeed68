/** Requests and replies of the API, written by `npm run client:types` from its OpenAPI document. */

/** The delivery address. */
export type Address = {
  /** First line of the address; not for an order token. */
  address_1?: string;
  /** Street name; not for an order token. */
  street?: string;
  /** Landmark; not for an order token. */
  landmark?: string;
  /** Area; not for an order token. */
  area?: string;
  /** City. */
  city?: string;
  /** State. */
  state?: string;
  /** Pincode or zipcode. */
  pincode?: string;
  /** A name or tag for the address. */
  address_type?: string;
};

/** What is reserved by a payment that you capture yourself. Amounts are in major units. */
export type Authorization = {
  /** Payments that are captured by themselves have no such object. */
  capture_mode: 'manual';
  /** ISO 8601 time at which the amount was reserved. */
  authorized_time: string;
  /** ISO 8601 time until which it can be captured. */
  expiry_time: string;
  /** What was captured so far. */
  captured_amount: number;
  /** What was released. */
  voided_amount: number;
  /** What can still be captured, without captures that are pending. */
  available_authorized_amount: number;
};

/** One choice of the consumer. */
export type Bank = {
  /** Goes into bank_code of initiate-payment. */
  bank_code: string;
  /** Name to show to the consumer. */
  name: string;
};

/** Bank account the payment must come from (third-party verification). The order can then be paid only in modes whose provider checks it. Send all three fields. */
export type BankAccountRequest = {
  /** Account number. */
  account_number?: string | number | null;
  /** Account holder name. */
  name?: string | null;
  /** Bank branch code (IFSC). */
  ifsc?: string | null;
} | null;

/** The choices for an order. */
export type Banks = {
  /** The choices; empty when there are none. */
  items: Bank[];
  /** The same choices, as older clients read them. */
  bank_list: ListedBank[];
};

/** Billing address. */
export type BillingAddressRequest = {
  /** First line of the address. */
  address_1?: string | null;
  /** Street name. */
  street?: string | null;
  /** Landmark. */
  landmark?: string | null;
  /** Area. */
  area?: string | null;
  /** City. */
  city?: string | null;
  /** State. */
  state?: string | null;
  /** Pincode or zipcode. */
  pincode?: string | number | null;
  /** A name or tag for the address. */
  address_type?: string | null;
} | null;

/** A capture. */
export type Capture = {
  /** Identifier of the payment. */
  original_payment_transaction_id: string;
  /** Identifier of the capture. */
  transaction_id: string;
  /** Identifier of the order. */
  order_id: string;
  /** pending is normal: the result follows as an event and in transaction-enquiry. */
  capture_status: 'pending' | 'succeeded' | 'failed';
  /** What was requested. */
  transaction_type: 'capture';
  /** What has happened, in words. */
  message: string;
};

/** A capture that you requested has a new status. */
export type CaptureEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'capture_pending' | 'capture_success' | 'capture_failed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the payment. */
  status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** That of the transaction, for plugins that look for it here. */
  svc_signature: string | null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  capture: EventOperation;
  transaction: EventPayment;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** Which payment to capture, and how much of it. */
export type CaptureRequest = {
  /** The payment. */
  transaction_id: string;
  /** For your own records. */
  comment?: string;
  /** More than 0, in major units. Without it, all that is still authorised is captured. */
  capture_amount?: number | string;
};

/** Fields that are not listed are ignored. Null and empty count as absent. */
export type CreateOrderRequest = {
  /** Your own unique reference for the order. */
  invoice_id: string | number;
  currency: Currency;
  /** Cart amount before tax. A number or a decimal string, in major units. */
  amount_before_tax?: number | string | null;
  /** Tax on the whole cart; 0 when left out. A number or a decimal string, in major units. */
  tax?: number | string | null;
  /** Total including tax, more than 0. A number or a decimal string, in major units. With amount_before_tax and tax it must add up exactly. */
  total_amount: number | string;
  user?: UserRequest;
  shipping_address?: ShippingAddressRequest;
  billing_address?: BillingAddressRequest;
  /** Cart items. Required unless the account has optional order details. An empty list counts as absent. */
  order_line_items?: LineItemRequest[] | null;
  bank_account?: BankAccountRequest;
  /** Key and value pairs attached to the order. */
  custom_attributes?: Record<string, string | number | boolean | null> | null;
  /** Where the consumer returns to after payment: https, or http on loopback. */
  callback_url?: string | null;
  /** callback_url_redirect, the default: a GET with ?response=. callback_url_post: a form post with the field response. Any other value is taken as callback_url_redirect. */
  callback_mode?: 'callback_url_redirect' | 'callback_url_post' | null;
  /** Description of the order. */
  description?: string | null;
  /** Check the arithmetic of the cart items and their sum. */
  validate_order_line_item?: boolean | null;
  /** For internal use. */
  referrer_platform?: string | null;
  /** For internal use. */
  referrer_platform_version?: string | null;
  /** IP address of the server that creates the order. */
  ip_address?: string | null;
  /** Domain from which payments will be captured. */
  merchant_shopfront_domain?: string | null;
};

/** The ISO 4217 code of a currency. */
export type Currency = string;

/** The amounts that were sent; present only when the order was converted. */
export type CurrencyConversion = {
  /** ISO 4217 code of the currency that was sent. */
  original_currency: string;
  /** ISO 4217 code of the currency that the order is processed in. */
  converted_currency: string;
  /** Units of the converted currency for one unit of the original one. */
  exchange_rate: number;
  /** Always that the account has an alternate currency for the one that was sent. */
  conversion_reason: 'ALTERNATE_CURRENCY_CONFIG';
  /** Amount before tax as sent, in major units. */
  original_amount_before_tax: number;
  /** Tax as sent, in major units; 0 when none was sent. */
  original_tax: number;
  /** Total as sent, in major units. */
  original_total_amount: number;
};

/** One key and value pair. */
export type CustomAttribute = {
  /** Name of the attribute. */
  key: string;
  /** Its value, as text. */
  value: string;
};

/** A consumer asks the bank to take a payment back. It changes neither the payment nor the order. */
export type Dispute = {
  /** Identifier of the dispute at the provider; without one, its order id and transaction id, joined by |. */
  dispute_id: string;
  /** Identifier of the disputed payment. */
  svc_transaction_id: string;
  /** closed, won and lost are final. under_review waits for the bank. */
  status: 'open' | 'under_review' | 'closed' | 'won' | 'lost';
  /** Where the dispute stands: fraud, retrieval, chargeback, pre_arbitration or arbitration. */
  phase: string | null;
  /** The bank's code of the reason. */
  reason_code: string | null;
  /** The bank's words for the reason. */
  reason: string | null;
  /** What is claimed, in major units. While the dispute is open, under_review or lost it cannot be refunded. */
  amount: number | null;
  /** ISO 4217 code of the amounts. */
  currency: string | null;
  /** What was taken from you, in major units; 0 unless it is lost. */
  amount_deducted: number | null;
  /** ISO 8601 time until which the provider accepts your evidence. */
  respond_by: string | null;
  /** True while the provider waits for something from you. */
  action_required: boolean;
  /** ISO 8601 time at which the dispute was opened. */
  created_at: string | null;
};

/** A dispute of a payment was opened or has changed. It changes neither the payment nor the order. */
export type DisputeEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'dispute_created' | 'dispute_updated' | 'dispute_won' | 'dispute_lost' | 'dispute_closed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the payment. */
  status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** That of the transaction, for plugins that look for it here. */
  svc_signature: string | null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  dispute: Dispute;
  transaction: EventPayment;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** The order that the transactions belong to. */
export type EnquiredOrder = {
  /** Identifier of the order. */
  svc_order_id: string;
  /** Your own reference for the order. */
  invoice_id: string;
  /** Status of the order, as in get order. */
  status: 'new' | 'pending' | 'completed' | 'lapsed';
  /** Key and value pairs attached to the order. */
  custom_attributes: CustomAttribute[];
  /** The amounts that were sent; null when the order was not converted. */
  currency_conversion: CurrencyConversion | null;
  /** Null until a payment has succeeded or a refund is known. */
  refund_details: RefundDetails | null;
};

/** The latest status of an order and its transactions. */
export type Enquiry = {
  /** Oldest first; only the one that was asked for when transaction_id was sent; empty for a new order. */
  transaction: Transaction[];
  order: EnquiredOrder;
};

/** With a merchant token at least one is required; all that are sent must refer to the same order. An order token names its order itself. */
export type EnquiryRequest = {
  /** Identifier of a transaction, issued by initiate-payment or refund. */
  transaction_id?: string | number | null;
  /** Another name of transaction_id. */
  svc_transaction_id?: string | number | null;
  /** Identifier of the order, issued at creation. */
  order_id?: string | number | null;
  /** Your reference used at creation. */
  invoice_id?: string | number | null;
};

/** Branch on this in your code. */
export type ErrorCode = 'INVALID_REQUEST_PARAMETER' | 'ENCRYPTION_NOT_ENABLED' | 'DECRYPTION_FAILED' | 'AUTHENTICATION_FAILED' | 'INVALID_TOKEN' | 'TOKEN_EXPIRED' | 'PERMISSION_DENIED' | 'CONFIRMATION_REQUIRED' | 'ACCOUNT_SUSPENDED' | 'ORDER_NOT_FOUND' | 'INVOICE_NOT_FOUND' | 'TRANSACTION_NOT_FOUND' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'DUPLICATE_INVOICE_ID' | 'ORDER_COMPLETED' | 'ORDER_LAPSED' | 'ORDER_CONFLICT' | 'LINK_CANNOT_BE_UPDATED' | 'CAPTURE_IN_PROGRESS' | 'VOID_IN_PROGRESS' | 'DUPLICATE_REFUND_REQUEST' | 'IDEMPOTENCY_KEY_REUSED' | 'RATE_NOT_CONFIRMED' | 'PAYLOAD_TOO_LARGE' | 'CAPTURE_NOT_ALLOWED' | 'INVALID_CAPTURE_AMOUNT' | 'CAPTURE_AMOUNT_NOT_SUPPORTED' | 'VOID_NOT_ALLOWED' | 'INVALID_REFUND_AMOUNT' | 'PAYMENT_DISPUTED' | 'REFUND_NOT_ALLOWED' | 'LINK_CANNOT_BE_SENT' | 'PAYMENT_MODE_NOT_ENABLED' | 'PAYMENT_MODE_NOT_ALLOWED' | 'RATE_LIMITED' | 'INTERNAL_ERROR' | 'SERVICE_UNAVAILABLE';

/** The capture or void that the event is about. */
export type EventOperation = {
  /** Identifier of the capture or void; null if the hold ended by itself. */
  transaction_id: string | null;
  /** What is captured or released, in major units. */
  amount: number;
  /** Status of the capture or void. */
  status: 'pending' | 'succeeded' | 'failed';
};

/** The order of the enquiry at the time of the event. */
export type EventOrder = {
  /** Identifier of the order. */
  svc_order_id: string;
  /** Your own reference for the order. */
  invoice_id: string;
  /** Status of the order, as in get order. */
  status: 'new' | 'pending' | 'completed' | 'lapsed';
  /** Key and value pairs attached to the order. */
  custom_attributes: CustomAttribute[];
  /** The amounts that were sent; null when the order was not converted. */
  currency_conversion: CurrencyConversion | null;
  /** Null until a payment has succeeded or a refund is known. */
  refund_details: RefundDetails | null;
  /** ISO 4217 code of the currency that the order is processed in. */
  currency: string;
  /** Cart amount before tax, in major units. */
  amount_before_tax: number;
  /** Tax on the whole cart, in major units. */
  tax: number;
  /** Total including tax, in major units. */
  total_amount: number;
};

/** The payment of the enquiry at the time of the event. */
export type EventPayment = {
  /** A payment attempt. */
  transaction_type: 'payment';
  /** Whole seconds from the start to the final status; null until it is final. */
  completion_time: number | null;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** Status of the payment. */
  payment_status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed';
  /** What the provider says about the transaction. */
  message: string | null;
  /** As in the enquiry, but v3 signs every status. Null if the amount is unknown. */
  svc_signature: string | null;
  /** Which signature the account uses. */
  signature_version: 'v2' | 'v3';
  /** Present while the status is failed, otherwise null. */
  failure_reason: FailureReason | null;
  /** The provider that the payment was made with. */
  payment_partner: 'Razorpay' | 'Mastercard Gateway' | null;
  /** The provider that processed it. */
  processing_payment_partner: 'Razorpay' | 'Mastercard Gateway' | null;
  /** Identifier of the payment or refund at the provider. */
  psp_transaction_id: string | null;
  /** Amount in major units. */
  transaction_amount: number | null;
  /** ISO 4217 code, as the provider reports it. */
  transaction_currency: string | null;
  /** Fee that the consumer paid on top of the order, in major units. */
  additional_charges: number | null;
  /** Discount that the provider granted, in major units. */
  offer_discount: number | null;
  /** Identifier of the offer at the provider. */
  offer_id: string | null;
  /** The acquirer that the provider used. */
  payment_acquirer: string | null;
  /** How the consumer paid; Card when the funding is unknown. Null for a refund, and until it is known. */
  payment_mode: 'UPI' | 'Credit Card' | 'Debit Card' | 'Netbanking' | 'Wallet' | 'Prepaid Card' | 'Credit Card EMI' | 'Debit Card EMI' | 'Card' | 'Pay Later' | null;
  /** The bank's reference of the payment. */
  payment_arn: string | null;
  /** Always null: the providers do not report it. */
  emi: null;
  /** Details of the payment mode, such as bank_name, wallet_name, upi_id, or scheme, card_type, issuer and masked_card. */
  sub_payment_mode: Record<string, string> | null;
  /** Status of the refund; for a payment that of its latest refund, or null. */
  refund_status: 'new' | 'pending' | 'failed' | 'succeeded' | null;
  /** Your reference of the refund; for a payment that of its latest refund. */
  refund_request_id: string | null;
  /** The bank's reference of the refund; for a payment that of its latest refund. */
  refund_arn: string | null;
  /** Null unless the payment was started for manual capture and was authorised. */
  authorization_details: Authorization | null;
  /** The disputes of the payment, oldest first; empty without any, for a refund, and with an order token. */
  disputes: Dispute[];
  /** The same value as svc_transaction_id. */
  transaction_id: string;
  /** The same value as svc_signature. */
  signature: string | null;
  /** The same value as payment_status. */
  status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed';
};

/** The refund of the enquiry at the time of the event. */
export type EventRefund = {
  /** Whether the whole payment is refunded. */
  transaction_type: 'full_refund' | 'partial_refund';
  /** Whole seconds from the start to the final status; null until it is final. */
  completion_time: number | null;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** Status of the payment; null for a refund. failed, succeeded and reversed are final, and a late success still replaces failed. */
  payment_status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed' | null;
  /** What the provider says about the transaction. */
  message: string | null;
  /** As in the enquiry, but v3 signs every status. Null if the amount is unknown. */
  svc_signature: string | null;
  /** Which signature the account uses. */
  signature_version: 'v2' | 'v3';
  /** Present while the status is failed, otherwise null. */
  failure_reason: FailureReason | null;
  /** The provider that the payment was made with. */
  payment_partner: 'Razorpay' | 'Mastercard Gateway' | null;
  /** The provider that processed it. */
  processing_payment_partner: 'Razorpay' | 'Mastercard Gateway' | null;
  /** Identifier of the payment or refund at the provider. */
  psp_transaction_id: string | null;
  /** Amount in major units. */
  transaction_amount: number | null;
  /** ISO 4217 code, as the provider reports it. */
  transaction_currency: string | null;
  /** Fee that the consumer paid on top of the order, in major units. */
  additional_charges: number | null;
  /** Discount that the provider granted, in major units. */
  offer_discount: number | null;
  /** Identifier of the offer at the provider. */
  offer_id: string | null;
  /** The acquirer that the provider used. */
  payment_acquirer: string | null;
  /** How the consumer paid; Card when the funding is unknown. Null for a refund, and until it is known. */
  payment_mode: 'UPI' | 'Credit Card' | 'Debit Card' | 'Netbanking' | 'Wallet' | 'Prepaid Card' | 'Credit Card EMI' | 'Debit Card EMI' | 'Card' | 'Pay Later' | null;
  /** The bank's reference of the payment. */
  payment_arn: string | null;
  /** Always null: the providers do not report it. */
  emi: null;
  /** Details of the payment mode, such as bank_name, wallet_name, upi_id, or scheme, card_type, issuer and masked_card. */
  sub_payment_mode: Record<string, string> | null;
  /** Status of the refund. */
  refund_status: 'new' | 'pending' | 'failed' | 'succeeded';
  /** Your reference of the refund; for a payment that of its latest refund. */
  refund_request_id: string | null;
  /** The bank's reference of the refund; for a payment that of its latest refund. */
  refund_arn: string | null;
  /** Null unless the payment was started for manual capture and was authorised. */
  authorization_details: Authorization | null;
  /** The disputes of the payment, oldest first; empty without any, for a refund, and with an order token. */
  disputes: Dispute[];
  /** The same value as svc_transaction_id. */
  transaction_id: string;
  /** The same value as svc_signature. */
  signature: string | null;
  /** The same value as transaction_amount. */
  refund_amount: number | null;
};

/** Why a payment or refund failed. */
export type FailureReason = {
  /** Why it failed: branch on this in your code. */
  svc_error_code: 'PAYMENT_CANCELLED_BY_CONSUMER' | 'AUTHENTICATION_FAILED_AT_BANK' | 'INSUFFICIENT_FUNDS' | 'LIMIT_EXCEEDED' | 'INVALID_PAYMENT_DETAILS' | 'BANK_ACCOUNT_MISMATCH' | 'DECLINED_BY_BANK' | 'RISK_REJECTED' | 'PAYMENT_TIMED_OUT' | 'PROVIDER_TECHNICAL_ERROR' | 'PROVIDER_UNAVAILABLE' | 'PAYMENT_MODE_NOT_ENABLED' | 'ORDER_ALREADY_PAID' | 'PAYMENT_FAILED' | 'REFUND_FAILED';
  /** May be shown to the consumer. */
  svc_consumer_message: string;
  /** For your team: the reason as the provider reported it. */
  svc_merchant_message: string;
  /** True if another attempt makes sense. */
  retry_allowed: boolean;
};

/** An order with its cart, address and details. Fields that are not set are left out. */
export type FullOrder = {
  /** Identifier of the order; used in later calls. */
  order_id: string;
  /** Time of creation: UTC, YYYY-MM-DD HH:MM:SS.ffffff. */
  order_date: string;
  /** new: no payment attempt yet. pending: at least one attempt, none has paid the order. completed: paid. lapsed: expired, or too many failed attempts; a late success still completes it. */
  status: 'new' | 'pending' | 'completed' | 'lapsed';
  /** Your own reference for the order, as sent. */
  invoice_id: string;
  user?: User;
  /** Number of payment attempts; 0 for a new order. */
  attempts: number;
  /** ISO 4217 code of the currency that the order is processed in. */
  currency: Currency;
  /** Cart amount before tax, in major units. */
  amount_before_tax: number;
  /** Tax on the whole cart, in major units. */
  tax: number;
  /** Total including tax, in major units. */
  total_amount: number;
  currency_conversion?: CurrencyConversion;
  /** Order token: launches checkout and opens this order only. Valid 20 minutes. */
  token?: string;
  /** Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  token_expiration?: string;
  /** Gets a new order token from refresh-token. Valid 24 hours. */
  refresh_token?: string;
  /** Expiry of refresh_token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  refresh_token_expiration?: string;
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
  /** The cart items, as they were sent. */
  order_line_items?: LineItem[];
  shipping_address?: Address;
  /** Where the consumer returns to after payment. */
  callback_url?: string;
  /** How the consumer returns: callback_url_post is a form post, every other value a redirect. */
  callback_mode?: string;
  /** Key and value pairs attached to the order. */
  custom_attributes?: CustomAttribute[];
  /** Description of the order. */
  description?: string;
};

/** A cart item. */
export type LineItem = {
  /** Your product identifier. */
  sku_id?: string;
  /** Product title. */
  title: string;
  /** Detailed description. */
  description?: string;
  /** Public image URL, or false. */
  image_url?: string | boolean;
  /** Pre-tax rate. As it was sent. */
  rate?: number | string;
  /** Quantity. As it was sent. */
  quantity?: number | string;
  /** Rate multiplied by quantity. As it was sent. */
  amount_before_tax?: number | string;
  /** Tax of the item. As it was sent. */
  tax?: number | string;
  /** Amount before tax plus tax. As it was sent. */
  total_amount?: number | string;
};

/** A cart item. */
export type LineItemRequest = {
  /** Your product identifier. */
  sku_id?: string | number | null;
  /** Product title. */
  title: string;
  /** Detailed description. */
  description?: string | null;
  /** Public image URL, or false. */
  image_url?: string | boolean | null;
  /** Pre-tax rate. A number or a decimal string, in major units. */
  rate?: number | string | null;
  /** Quantity, more than 0. */
  quantity: number | string;
  /** Rate multiplied by quantity. A number or a decimal string, in major units. */
  amount_before_tax?: number | string | null;
  /** Tax of the item. A number or a decimal string, in major units. */
  tax?: number | string | null;
  /** Amount before tax plus tax. This or rate is required. A number or a decimal string, in major units. */
  total_amount?: number | string | null;
};

/** The same choice under the names of older clients. */
export type ListedBank = {
  /** Name to show to the consumer. */
  bank_name: string;
  /** Goes into bank_code of initiate-payment. */
  code: string;
  /** Always empty: the service has no logos. */
  logo: string;
  /** Always up. */
  health_status: 'up';
  /** Always empty: initiate-payment follows. */
  next: string;
};

/** The same choice under the names of older clients. */
export type ListedWallet = {
  /** Name to show to the consumer. */
  wallet_name: string;
  /** Goes into wallet_code of initiate-payment. */
  code: string;
  /** Always empty: the service has no logos. */
  logo: string;
  /** Always empty: initiate-payment follows. */
  next: string;
};

/** A recommended next call. */
export type NextCall = {
  /** Name of the recommended call. */
  action: string;
  /** Path of the call, to be appended to the base URL; for redirect a whole URL. */
  url: string;
};

/** An order with its tokens. Fields that do not apply are left out. */
export type Order = {
  /** Identifier of the order; used in later calls. */
  order_id: string;
  /** Time of creation: UTC, YYYY-MM-DD HH:MM:SS.ffffff. */
  order_date: string;
  /** new: no payment attempt yet. pending: at least one attempt, none has paid the order. completed: paid. lapsed: expired, or too many failed attempts; a late success still completes it. */
  status: 'new' | 'pending' | 'completed' | 'lapsed';
  /** Your own reference for the order, as sent. */
  invoice_id: string;
  user?: User;
  /** Number of payment attempts; 0 for a new order. */
  attempts: number;
  /** ISO 4217 code of the currency that the order is processed in. */
  currency: Currency;
  /** Cart amount before tax, in major units. */
  amount_before_tax: number;
  /** Tax on the whole cart, in major units. */
  tax: number;
  /** Total including tax, in major units. */
  total_amount: number;
  currency_conversion?: CurrencyConversion;
  /** Order token: launches checkout and opens this order only. Valid 20 minutes. */
  token?: string;
  /** Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  token_expiration?: string;
  /** Gets a new order token from refresh-token. Valid 24 hours. */
  refresh_token?: string;
  /** Expiry of refresh_token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  refresh_token_expiration?: string;
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
};

/** An order has a new status. */
export type OrderEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'order_completed' | 'order_lapsed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the order. */
  status: 'completed' | 'lapsed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** The event is about the order. */
  svc_transaction_id: null;
  /** Signed is the transaction only. */
  svc_signature: null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  /** The event is about the order. */
  transaction: null;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** An order token and its expiry. */
export type OrderToken = {
  /** A new order token; valid for 20 minutes. */
  token: string;
  /** Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  token_expiration: string;
  /** The same time in RFC 3339. */
  expires_at: string;
};

/** A payment has a new status. */
export type PaymentEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'payment_authorized' | 'payment_success' | 'payment_failed' | 'payment_reversed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the payment. */
  status: 'authorized' | 'succeeded' | 'failed' | 'reversing' | 'reversed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** That of the transaction, for plugins that look for it here. */
  svc_signature: string | null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  transaction: EventPayment;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** An order with its tokens and its payment link. */
export type PaymentLink = {
  /** Identifier of the order; used in later calls. */
  order_id: string;
  /** Time of creation: UTC, YYYY-MM-DD HH:MM:SS.ffffff. */
  order_date: string;
  /** created: nobody has opened the checkout yet. opened: it was opened. paid: its order is completed, also by a late payment. cancelled: by you. expired: its order lapsed. */
  status: 'created' | 'opened' | 'paid' | 'cancelled' | 'expired';
  /** Your own reference for the order, as sent. */
  invoice_id: string;
  user?: User;
  /** Number of payment attempts; 0 for a new order. */
  attempts: number;
  /** ISO 4217 code of the currency that the order is processed in. */
  currency: Currency;
  /** Cart amount before tax, in major units. */
  amount_before_tax: number;
  /** Tax on the whole cart, in major units. */
  tax: number;
  /** Total including tax, in major units. */
  total_amount: number;
  currency_conversion?: CurrencyConversion;
  /** Order token: launches checkout and opens this order only. Valid 20 minutes. */
  token?: string;
  /** Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  token_expiration?: string;
  /** Gets a new order token from refresh-token. Valid 24 hours. */
  refresh_token?: string;
  /** Expiry of refresh_token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  refresh_token_expiration?: string;
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
  /** URL for the consumer: it opens the checkout of the order. */
  payment_link: string;
  /** Identifier of the link, for the other calls about it. */
  payment_link_id: string;
  /** The same as payment_link. */
  payment_link_url: string;
  /** The same as payment_link. */
  short_url: string;
  /** When the order lapses unless it is paid before: UTC, RFC 3339. */
  expires_at: string;
};

/** The latest status of a payment link. */
export type PaymentLinkEnquiry = {
  /** Identifier of the link, for the other calls about it. */
  payment_link_id: string;
  /** The same as payment_link. */
  payment_link_url: string;
  /** The same as payment_link. */
  short_url: string;
  /** Identifier of the order of the link. */
  order_id: string;
  /** Your own reference for the order, as sent. */
  invoice_id: string;
  /** created: nobody has opened the checkout yet. opened: it was opened. paid: its order is completed, also by a late payment. cancelled: by you. expired: its order lapsed. */
  status: 'created' | 'opened' | 'paid' | 'cancelled' | 'expired';
  currency: Currency;
  /** Total including tax, in major units. */
  total_amount: number;
  /** Sum of the payments that succeeded, in major units. Refunds do not lessen it. */
  payment_link_amount_paid: number;
  /** When the order lapses or lapsed unless it is paid before: UTC, RFC 3339. */
  expires_at: string;
  /** The order of the link with its transactions, as in transaction-enquiry. A link has one order. */
  orders_with_transactions: Enquiry[];
};

/** The link by payment_link_id or invoice_id; if both are sent, they must belong together. */
export type PaymentLinkEnquiryRequest = {
  /** Identifier of the link, as payment-link answered it. */
  payment_link_id?: string | null;
  /** Your reference used at creation. */
  invoice_id?: string | number | null;
};

/** Fields that are not listed are ignored. Null and empty count as absent. */
export type PaymentLinkRequest = {
  /** Your own unique reference for the order. */
  invoice_id: string | number;
  currency: Currency;
  /** Cart amount before tax. A number or a decimal string, in major units. */
  amount_before_tax?: number | string | null;
  /** Tax on the whole cart; 0 when left out. A number or a decimal string, in major units. */
  tax?: number | string | null;
  /** Total including tax, more than 0. A number or a decimal string, in major units. With amount_before_tax and tax it must add up exactly. */
  total_amount: number | string;
  user?: UserRequest;
  shipping_address?: ShippingAddressRequest;
  billing_address?: BillingAddressRequest;
  /** Cart items. Required unless the account has optional order details. An empty list counts as absent. */
  order_line_items?: LineItemRequest[] | null;
  bank_account?: BankAccountRequest;
  /** Key and value pairs attached to the order. */
  custom_attributes?: Record<string, string | number | boolean | null> | null;
  /** Where the consumer returns to after payment: https, or http on loopback. */
  callback_url?: string | null;
  /** callback_url_redirect, the default: a GET with ?response=. callback_url_post: a form post with the field response. Any other value is taken as callback_url_redirect. */
  callback_mode?: 'callback_url_redirect' | 'callback_url_post' | null;
  /** Description of the order. */
  description?: string | null;
  /** Check the arithmetic of the cart items and their sum. */
  validate_order_line_item?: boolean | null;
  /** For internal use. */
  referrer_platform?: string | null;
  /** For internal use. */
  referrer_platform_version?: string | null;
  /** IP address of the server that creates the order. */
  ip_address?: string | null;
  /** Domain from which payments will be captured. */
  merchant_shopfront_domain?: string | null;
  /** When the order lapses and the link expires: ISO 8601 with a zone, or YYYY-MM-DD HH:MM:SS in UTC; in the future, at most 366 days ahead. When left out, after 90 days. */
  expires_at?: string | null;
};

/** The link by payment_link_id or invoice_id; if both are sent, they must belong together. Fields that are absent, null or empty stay as they are. Amounts are replaced together, as in update-order. */
export type PaymentLinkUpdateRequest = {
  /** Identifier of the link, as payment-link answered it. */
  payment_link_id?: string | null;
  /** Your reference used at creation. */
  invoice_id?: string | number | null;
  /** ISO 4217 code, upper case. */
  currency?: string | null;
  /** Cart amount before tax. A number or a decimal string, in major units. */
  amount_before_tax?: number | string | null;
  /** Tax on the whole cart; 0 when left out. A number or a decimal string, in major units. */
  tax?: number | string | null;
  /** Total including tax. Required. A number or a decimal string, in major units. */
  total_amount?: number | string | null;
  /** Cart items. Required unless the account has optional order details. An empty list counts as absent. */
  order_line_items?: LineItemRequest[] | null;
  /** Description of the order. */
  description?: string | null;
  /** When the order lapses and the link expires: ISO 8601 with a zone, or YYYY-MM-DD HH:MM:SS in UTC; in the future, at most 366 days ahead. When left out, it stays as it is. */
  expires_at?: string | null;
};

/** A way to pay. */
export type PaymentMode = {
  /** Goes into payment_mode_code of initiate-payment. */
  payment_mode_code: 'upi' | 'credit_card' | 'debit_card' | 'net_banking' | 'wallet' | 'prepaid_card';
  /** Name to show to the consumer. */
  payment_mode: 'UPI' | 'Credit Card' | 'Debit Card' | 'Netbanking' | 'Wallet' | 'Prepaid Card';
  /** Cart amount before tax, in major units. */
  amount_before_tax: number;
  /** Tax, in major units. */
  tax: number;
  currency: Currency;
  /** Total including tax, in major units. */
  total_amount: number;
  /** Fee for this mode; always 0. */
  additional_charges: number;
  /** total_amount plus additional_charges. */
  grand_total_amount: number;
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
};

/** The ways to pay for an order. */
export type PaymentModes = {
  /** Modes that the consumer has paid with before. */
  fast_payment_modes: {
    /** The modes, in the order in which to show them. */
    items: PaymentMode[];
  };
  /** All other modes of the account. */
  other_payment_modes: {
    /** The modes, in the order in which to show them. */
    items: PaymentMode[];
  };
};

/** Card details are never sent here: the consumer enters them at the provider. */
export type PaymentRequest = {
  /** Identifier of the order, issued at creation. Required with a merchant token; an order token identifies its order. */
  order_id?: string | null;
  /** How the consumer pays; one that payment-modes lists. card is routed like credit_card, and netbanking is net_banking. The display names that payment-modes returns, such as Credit Card, are accepted too, in any case. */
  payment_mode_code: 'upi' | 'credit_card' | 'debit_card' | 'net_banking' | 'wallet' | 'prepaid_card' | 'card' | 'netbanking';
  /** The bank; required for net_banking. */
  bank_code?: string | null;
  /** The wallet; required for wallet. */
  wallet_code?: string | null;
  /** The UPI id, for upi. Without it the consumer chooses at the page of the provider, or opens their UPI app with the intent. */
  upi_id?: string | null;
  /** Where the consumer returns to; defaults to that of the order. */
  callback_url?: string | null;
  /** callback_url_redirect, the default: a GET with ?response=. callback_url_post: a form post with the field response. Any other value is taken as callback_url_redirect. */
  callback_mode?: 'callback_url_redirect' | 'callback_url_post' | null;
};

/** A refund. */
export type Refund = {
  /** The same as original_payment_transaction_id; misspelt, as shipped clients read it. */
  orignal_payment_transaction_id: string;
  /** Identifier of the refunded payment. */
  original_payment_transaction_id: string;
  /** Identifier of the refund. */
  transaction_id: string;
  /** Your reference for the refund, or its identifier when you sent none. */
  refund_request_id: string | null;
  /** pending until the provider has decided, then succeeded or failed. */
  refund_status: 'new' | 'pending' | 'failed' | 'succeeded';
  /** The bank's reference of the refund; null until it is known. */
  refund_arn: string | null;
  /** Whether the whole payment is refunded. */
  transaction_type: 'full_refund' | 'partial_refund';
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
};

/** Sums in major units. */
export type RefundDetails = {
  /** ISO 4217 code of the amounts. */
  refundable_currency: string;
  /** What can still be refunded: paid minus refunds, pending ones included, and minus what disputes claim that are open, under review or lost. */
  available_refundable_amount: number;
  /** Sum of the refunds that succeeded. */
  refunded_amount: number;
  /** Sum of the payments that succeeded. */
  total_refundable_amount: number;
};

/** A refund has a new status. */
export type RefundEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'refund_pending' | 'refund_success' | 'refund_failed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the refund. */
  status: 'pending' | 'succeeded' | 'failed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** That of the transaction, for plugins that look for it here. */
  svc_signature: string | null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  transaction: EventRefund;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** transaction_id or invoice_id is required; when both are sent, they must belong together. Null and empty are refused: leave out what you do not send. */
export type RefundRequest = {
  /** The payment to refund. */
  transaction_id?: string | number;
  /** Alternatively, the invoice whose payment is refunded. */
  invoice_id?: string | number;
  /** More than 0, in major units. Only if it is left out, everything that can still be refunded is. */
  refund_amount?: number | string;
  /** Another name of refund_amount. If both are sent, they must be equal. */
  amount?: number | string;
  /** Your own unique reference for this refund. */
  refund_request_id?: string | number;
};

/** The consumer to link to the order. */
export type ResolveUserRequest = {
  /** Identifier of the order, issued at creation. Required with a merchant token; an order token identifies its order. */
  order_id?: string | null;
  /** E-mail address. */
  email?: string | null;
  /** First name. */
  first_name?: string | null;
  /** Last name. */
  last_name?: string | null;
  /** Telephone country code: 91, +91 or 0091. When left out, that of mobile_number, or +91. */
  country_code?: string | number | null;
  /** Mobile number: 4 to 15 digits; spaces, dashes, dots, brackets and a leading + or 00 with the country code are accepted. */
  mobile_number: string | number;
};

/** The consumer that the order is restricted to from now on. */
export type ResolvedUser = {
  user: User;
  /** Only for an order token: it replaces that token, is tied to the consumer and expires at the same time. */
  token?: string;
  /** Expiry of token: UTC, YYYY-MM-DDTHH:MM:SS.ffffff. */
  token_expiration?: string;
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
};

/** A person should look at the order, or at the transaction if there is one. */
export type ReviewEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'review_needed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the transaction if there is one, otherwise of the order. removed: it is not in the enquiry any more. */
  status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed' | 'completed' | 'lapsed' | 'removed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** Names the flag, such as amount_mismatch. status_withdrawn and transaction_removed take back an earlier event. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** Identifier of the transaction; null if it is about the order. */
  svc_transaction_id: string | null;
  /** That of the transaction, for plugins that look for it here. */
  svc_signature: string | null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  /** The transaction; null if the event is about the order, or it was removed. */
  transaction: EventPayment | EventRefund | null;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** Delivery address, with at least one field. Required unless the account has optional order details. Without a single value it counts as absent. */
export type ShippingAddressRequest = {
  /** First line of the address. */
  address_1?: string | null;
  /** Street name. */
  street?: string | null;
  /** Landmark. */
  landmark?: string | null;
  /** Area. */
  area?: string | null;
  /** City. */
  city?: string | null;
  /** State. */
  state?: string | null;
  /** Pincode or zipcode. */
  pincode?: string | number | null;
  /** A name or tag for the address. */
  address_type?: string | null;
} | null;

/** A started payment. next has the action redirect with the URL of the payment page. If the provider returned a UPI intent, the action upi_intent is before it: its URL opens a UPI app on a phone, and is shown as a QR code elsewhere. */
export type StartedPayment = {
  /** Identifier of the order. */
  order_id: string;
  /** Identifier of the payment. */
  transaction_id: string;
  /** pending, or failed when the provider refused it. A repeated request may return a later status. */
  payment_status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed';
  /** What to do next, or why the provider refused it. */
  message: string;
  /** The calls that are possible now; empty when there is none. */
  next: NextCall[];
};

/** A test of the endpoint. It is not repeated. */
export type TestEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'test';
  /** Always 0. */
  sequence: 0;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Always test. */
  status: 'test';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** A test belongs to no order. */
  svc_order_id: null;
  /** A test belongs to no order. */
  svc_transaction_id: null;
  /** A test belongs to no order. */
  svc_signature: null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  /** A test belongs to no order. */
  transaction: null;
  /** A test belongs to no order. */
  order: null;
  /** A test belongs to no order. */
  user: null;
};

/** One payment attempt or one refund. Every field is present; unknown values are null. */
export type Transaction = {
  /** payment for a payment attempt; full_refund or partial_refund for a refund. */
  transaction_type: 'payment' | 'full_refund' | 'partial_refund';
  /** Whole seconds from the start to the final status; null until it is final. */
  completion_time: number | null;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** Status of the payment; null for a refund. failed, succeeded and reversed are final, and a late success still replaces failed. */
  payment_status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed' | null;
  /** What the provider says about the transaction. */
  message: string | null;
  /** Hex HMAC-SHA256 under the whole access secret; null until the status is final. v2 covers invoice_id|transaction_id|amount|currency, v3 adds |status|transaction_type. */
  svc_signature: string | null;
  /** Which signature the account uses. */
  signature_version: 'v2' | 'v3';
  /** Present while the status is failed, otherwise null. */
  failure_reason: FailureReason | null;
  /** The provider that the payment was made with. */
  payment_partner: 'Razorpay' | 'Mastercard Gateway' | null;
  /** The provider that processed it. */
  processing_payment_partner: 'Razorpay' | 'Mastercard Gateway' | null;
  /** Identifier of the payment or refund at the provider. */
  psp_transaction_id: string | null;
  /** Amount in major units. */
  transaction_amount: number | null;
  /** ISO 4217 code, as the provider reports it. */
  transaction_currency: string | null;
  /** Fee that the consumer paid on top of the order, in major units. */
  additional_charges: number | null;
  /** Discount that the provider granted, in major units. */
  offer_discount: number | null;
  /** Identifier of the offer at the provider. */
  offer_id: string | null;
  /** The acquirer that the provider used. */
  payment_acquirer: string | null;
  /** How the consumer paid; Card when the funding is unknown. Null for a refund, and until it is known. */
  payment_mode: 'UPI' | 'Credit Card' | 'Debit Card' | 'Netbanking' | 'Wallet' | 'Prepaid Card' | 'Credit Card EMI' | 'Debit Card EMI' | 'Card' | 'Pay Later' | null;
  /** The bank's reference of the payment. */
  payment_arn: string | null;
  /** Always null: the providers do not report it. */
  emi: null;
  /** Details of the payment mode, such as bank_name, wallet_name, upi_id, or scheme, card_type, issuer and masked_card. */
  sub_payment_mode: Record<string, string> | null;
  /** Status of the refund; for a payment that of its latest refund, or null. */
  refund_status: 'new' | 'pending' | 'failed' | 'succeeded' | null;
  /** Your reference of the refund; for a payment that of its latest refund. */
  refund_request_id: string | null;
  /** The bank's reference of the refund; for a payment that of its latest refund. */
  refund_arn: string | null;
  /** Null unless the payment was started for manual capture and was authorised. */
  authorization_details: Authorization | null;
  /** The disputes of the payment, oldest first; empty without any, for a refund, and with an order token. */
  disputes: Dispute[];
};

/** Fields that are absent, null or empty stay as they are; fields that are not listed are ignored. Fields of user are merged into the stored ones; every other field is replaced as a whole. Amounts and order_line_items can be changed before the first payment attempt. An order token may change only user, the addresses, merchant_shopfront_domain, callback_url and callback_mode, and set custom_attributes while the order has none; any other field is refused. */
export type UpdateOrderRequest = {
  /** The currency the order was created with; it cannot be changed. */
  currency?: string | null;
  /** Cart amount before tax. A number or a decimal string, in major units. */
  amount_before_tax?: number | string | null;
  /** Tax on the whole cart; 0 when left out. A number or a decimal string, in major units. */
  tax?: number | string | null;
  /** Total including tax. Required. A number or a decimal string, in major units. */
  total_amount?: number | string | null;
  user?: UserRequest;
  shipping_address?: ShippingAddressRequest;
  billing_address?: BillingAddressRequest;
  /** Cart items. Required unless the account has optional order details. An empty list counts as absent. */
  order_line_items?: LineItemRequest[] | null;
  /** Key and value pairs attached to the order. */
  custom_attributes?: Record<string, string | number | boolean | null> | null;
  /** Where the consumer returns to after payment: https, or http on loopback. */
  callback_url?: string | null;
  /** callback_url_redirect, the default: a GET with ?response=. callback_url_post: a form post with the field response. Any other value is taken as callback_url_redirect. */
  callback_mode?: 'callback_url_redirect' | 'callback_url_post' | null;
  /** Description of the order. */
  description?: string | null;
  /** For internal use. */
  referrer_platform?: string | null;
  /** For internal use. */
  referrer_platform_version?: string | null;
  /** IP address of the server that creates the order. */
  ip_address?: string | null;
  /** Domain from which payments will be captured. */
  merchant_shopfront_domain?: string | null;
  /** Identifier of the order, issued at creation. Required with a merchant token; an order token identifies its order. */
  order_id?: string | null;
};

/** The consumer of the order. */
export type User = {
  /** E-mail address; masked for an order token, such as a***a@example.com. */
  email?: string;
  /** First name; masked for an order token, such as A***. */
  first_name?: string;
  /** Last name; masked for an order token, such as R***. */
  last_name?: string;
  /** Telephone country code with a leading +. */
  country_code: string;
  /** A number; for an order token text with all but the last four digits masked. */
  mobile_number?: number | string;
  /** Identifier of the consumer. Set with a merchant token, it is the same in all orders of the account; set with an order token, it is valid for this order only. */
  user_id: string;
};

/** The consumer. Required, with email, first_name and mobile_number, unless the account has optional order details. Without a single value it counts as absent. */
export type UserRequest = {
  /** E-mail address. */
  email?: string | null;
  /** First name. */
  first_name?: string | null;
  /** Last name. */
  last_name?: string | null;
  /** Telephone country code: 91, +91 or 0091. When left out, that of mobile_number, or +91. */
  country_code?: string | number | null;
  /** Mobile number: 4 to 15 digits; spaces, dashes, dots, brackets and a leading + or 00 with the country code are accepted. */
  mobile_number?: string | number | null;
} | null;

/** A void. */
export type Void = {
  /** Identifier of the payment. */
  original_payment_transaction_id: string;
  /** Identifier of the void. */
  transaction_id: string;
  /** Identifier of the order. */
  order_id: string;
  /** pending is normal: the result follows as an event and in transaction-enquiry. */
  void_status: 'pending' | 'succeeded' | 'failed';
  /** What was requested. */
  transaction_type: 'void';
  /** What has happened, in words. */
  message: string;
};

/** A void has a new status, or a hold has ended: its message is then authorization_expired. */
export type VoidEvent = {
  /** Version of the body. */
  version: 'v3';
  /** The header webhook-id. A repeat has the same id: store it and ignore repeats. */
  event_id: string;
  /** What the event reports. */
  event_type: 'void_pending' | 'void_success' | 'void_failed';
  /** Counts the events of an order. Events may arrive in another order: a higher number is newer. */
  sequence: number;
  /** ISO 8601 time of the change. */
  occurred_at: string;
  /** Status of the payment. */
  status: 'new' | 'pending' | 'failed' | 'authorized' | 'succeeded' | 'reversing' | 'reversed';
  /** status in three words, for plugins that know no others. */
  event_status: 'success' | 'failed' | 'pending';
  /** What has happened, in words. Safe to show to the consumer. */
  message: string;
  /** Identifier of the order. */
  svc_order_id: string;
  /** Identifier of the transaction. */
  svc_transaction_id: string;
  /** That of the transaction, for plugins that look for it here. */
  svc_signature: string | null;
  /** Tells an event from a return of the consumer. */
  is_webhook: true;
  void: EventOperation;
  transaction: EventPayment;
  order: EventOrder;
  /** The consumer, unmasked; null if the order has none. */
  user: User | null;
};

/** Which payment to void. */
export type VoidRequest = {
  /** The payment. */
  transaction_id: string;
  /** For your own records. */
  comment?: string;
};

/** One choice of the consumer. */
export type Wallet = {
  /** Goes into wallet_code of initiate-payment. */
  wallet_code: string;
  /** Name to show to the consumer. */
  name: string;
};

/** The choices for an order. */
export type Wallets = {
  /** The choices; empty when there are none. */
  items: Wallet[];
  /** The same choices, as older clients read them. */
  wallet_list: ListedWallet[];
};
