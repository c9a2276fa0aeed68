/**
 * The closed list of errors the service can answer. `http/` turns a code into a reply; all other code uses codes
 * only. A test compares `docs/errors.md` with this table.
 */

type ErrorEntry = {
  readonly status: number;
  /** Safe to show to the consumer at checkout. */
  readonly consumerMessage: string;
  /** Tells the merchant's team what to do. An error may replace it with a more specific message. */
  readonly merchantMessage: string;
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
};

const technicalError = 'Sorry, a technical error occurred. Please try again in a moment.';
const notAllowed = 'Sorry, this is not possible for this payment.';
const startAgain = 'Your payment session is no longer valid. Please start again from the shop.';

/** Contract 8.1. */
export const errorTable = {
  ...errors(400, technicalError, {
    INVALID_REQUEST_PARAMETER:
      'Check the request payload: a field is missing or has a value we cannot use.',
    ENCRYPTION_NOT_ENABLED:
      'Encrypted payloads are not enabled for this account: send the plain JSON body, or ask the operator to enable them.',
    DECRYPTION_FAILED:
      'The encrypted payload could not be opened: check the access secret and the encryption steps.',
  }),
  ...errors(401, startAgain, {
    AUTHENTICATION_FAILED:
      'Send valid credentials: access_key and access_secret to generate-token, or the header "Authorization: Bearer <token>" to every other call.',
    INVALID_TOKEN:
      'The token is not one of ours or not of the kind this call needs: get a new one from generate-token.',
    TOKEN_EXPIRED:
      'The token has expired: get a new merchant token from generate-token, or a new order token from refresh-token.',
  }),
  ...errors(403, notAllowed, {
    PERMISSION_DENIED:
      'An order token may not make this call: use a merchant token from generate-token.',
    CONFIRMATION_REQUIRED:
      'Confirm who you are first: give your password or use your passkey again.',
  }),
  ...errors(403, 'Sorry, this shop does not take payments at the moment.', {
    ACCOUNT_SUSPENDED: 'The account is suspended: ask the operator of the service to resume it.',
  }),
  ...errors(404, 'Sorry, we could not find this order.', {
    ORDER_NOT_FOUND: 'No order of this account has this order_id: check the value.',
    INVOICE_NOT_FOUND: 'No order of this account has this invoice_id: check the value.',
  }),
  ...errors(404, 'Sorry, we could not find this payment.', {
    TRANSACTION_NOT_FOUND:
      'No transaction of this account has this transaction_id: check the value.',
  }),
  ...errors(404, technicalError, {
    NOT_FOUND: 'There is nothing at this path: check the URL against /docs.',
  }),
  ...errors(405, technicalError, {
    METHOD_NOT_ALLOWED:
      'This path does not take this HTTP method: use one named in the Allow header.',
  }),
  ...errors(409, 'Sorry, this order already exists.', {
    DUPLICATE_INVOICE_ID:
      'An order with this invoice_id exists already: use a new invoice_id for a new order.',
  }),
  ...errors(409, 'This order is already paid.', {
    ORDER_COMPLETED: 'The order is completed and takes no further change or payment.',
  }),
  ...errors(409, 'This order has expired. Please start again from the shop.', {
    ORDER_LAPSED: 'The order has lapsed: create a new order with a new invoice_id.',
  }),
  ...errors(409, 'Sorry, this is not possible for this order.', {
    ORDER_CONFLICT:
      'The order is in a condition that does not allow this: the message of the refusal says which.',
  }),
  ...errors(409, technicalError, {
    LINK_CANNOT_BE_UPDATED:
      'The payment link was paid, started, cancelled or has expired: create a new one with a new invoice_id.',
  }),
  ...errors(409, notAllowed, {
    CAPTURE_IN_PROGRESS:
      'A capture of this payment is running: wait for its result in transaction-enquiry or its event.',
    VOID_IN_PROGRESS:
      'A void of this payment is running: wait for its result in transaction-enquiry or its event.',
  }),
  ...errors(409, 'This refund was already requested.', {
    DUPLICATE_REFUND_REQUEST:
      'A refund with this refund_request_id exists with other content: send the same content again, or use a new refund_request_id for another refund.',
  }),
  ...errors(409, technicalError, {
    IDEMPOTENCY_KEY_REUSED:
      'This Idempotency-Key was used for a request with other content within 24 hours: send the same content again, or use a new key for another request.',
    RATE_NOT_CONFIRMED:
      'The exchange rate is not within a factor of two of the former one: if it is right, repeat it in confirmed_rate.',
  }),
  ...errors(413, technicalError, {
    PAYLOAD_TOO_LARGE: 'The request body is larger than 256 KiB: send less.',
  }),
  ...errors(422, notAllowed, {
    CAPTURE_NOT_ALLOWED:
      'This payment cannot be captured: it is not authorised, or it was voided, or its hold has ended.',
    INVALID_CAPTURE_AMOUNT: 'The capture_amount is more than what is still authorised.',
    CAPTURE_AMOUNT_NOT_SUPPORTED:
      'The provider captures only the whole authorised amount: leave capture_amount out.',
    VOID_NOT_ALLOWED:
      'This payment cannot be voided: it is not authorised, or it was voided already.',
    INVALID_REFUND_AMOUNT: 'The refund_amount is more than what is still available for refund.',
    PAYMENT_DISPUTED:
      'The consumer disputes this payment: what the dispute claims cannot be refunded as well.',
    REFUND_NOT_ALLOWED:
      'This payment cannot be refunded: it has not succeeded, or its provider is not set up.',
  }),
  ...errors(422, technicalError, {
    LINK_CANNOT_BE_SENT:
      'The service sends no messages: send payment_link_url to the consumer yourself.',
  }),
  ...errors(422, 'This payment mode is not available. Please choose another.', {
    PAYMENT_MODE_NOT_ENABLED:
      'The payment mode is not enabled for this account: use one listed by payment-modes.',
    PAYMENT_MODE_NOT_ALLOWED:
      'The order must be paid from its bank_account, which cannot be checked in this payment mode: use one listed by payment-modes.',
  }),
  ...errors(429, technicalError, {
    RATE_LIMITED: 'Too many requests: wait the seconds named in Retry-After, then try again.',
  }),
  ...errors(500, technicalError, {
    INTERNAL_ERROR:
      'The service failed to handle this request: try again, and give the x-request-id to the operator if it keeps failing.',
  }),
  ...errors(503, technicalError, {
    SERVICE_UNAVAILABLE:
      'The service cannot answer at the moment: try again with the same request after the seconds named in Retry-After.',
  }),
};

/** The errors with this status and this message for the consumer, each with its message for the merchant. */
function errors<Code extends string>(
  status: number,
  consumerMessage: string,
  merchantMessages: Readonly<Record<Code, string>>,
): Readonly<Record<Code, ErrorEntry>> {
  const retryAfterSeconds = status === 429 || status === 503 ? 1 : undefined;
  const entries = Object.entries(merchantMessages).map(([code, merchantMessage]) => [
    code,
    { status, consumerMessage, merchantMessage, retryAfterSeconds },
  ]);
  return Object.fromEntries(entries);
}

export type ErrorCode = keyof typeof errorTable;

/** A refused request. `merchantMessage` never contains a secret or a token. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly merchantMessage: string;

  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    merchantMessage?: string,
    options?: { cause?: unknown; retryAfterSeconds?: number },
  ) {
    super(code, options);
    this.name = 'ServiceError';
    this.code = code;
    this.merchantMessage = merchantMessage ?? errorTable[code].merchantMessage;
    this.retryAfterSeconds = options?.retryAfterSeconds ?? this.entry.retryAfterSeconds;
  }

  get entry(): ErrorEntry {
    return errorTable[this.code];
  }
}

export function refuseField(field: string, problem: string): never {
  throw new ServiceError('INVALID_REQUEST_PARAMETER', `${field} ${problem}.`);
}
