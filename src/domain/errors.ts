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
  readonly retryAfterSeconds?: number;
};

const technicalError = 'Sorry, a technical error occurred. Please try again in a moment.';
const notAllowed = 'Sorry, this is not possible for this payment.';
const startAgain = 'Your payment session is no longer valid. Please start again from the shop.';

/** Contract 8.1. */
export const errorTable = {
  INVALID_REQUEST_PARAMETER: {
    status: 400,
    consumerMessage: technicalError,
    merchantMessage: 'Check the request payload: a field is missing or has a value we cannot use.',
  },
  ENCRYPTION_NOT_ENABLED: {
    status: 400,
    consumerMessage: technicalError,
    merchantMessage:
      'Encrypted payloads are not enabled for this account: send the plain JSON body, or ask the operator to enable them.',
  },
  DECRYPTION_FAILED: {
    status: 400,
    consumerMessage: technicalError,
    merchantMessage:
      'The encrypted payload could not be opened: check the access secret and the encryption steps.',
  },
  AUTHENTICATION_FAILED: {
    status: 401,
    consumerMessage: startAgain,
    merchantMessage:
      'Send valid credentials: access_key and access_secret to generate-token, or the header "Authorization: Bearer <token>" to every other call.',
  },
  INVALID_TOKEN: {
    status: 401,
    consumerMessage: startAgain,
    merchantMessage:
      'The token is not one of ours or not of the kind this call needs: get a new one from generate-token.',
  },
  TOKEN_EXPIRED: {
    status: 401,
    consumerMessage: startAgain,
    merchantMessage:
      'The token has expired: get a new merchant token from generate-token, or a new order token from refresh-token.',
  },
  PERMISSION_DENIED: {
    status: 403,
    consumerMessage: notAllowed,
    merchantMessage:
      'An order token may not make this call: use a merchant token from generate-token.',
  },
  CONFIRMATION_REQUIRED: {
    status: 403,
    consumerMessage: notAllowed,
    merchantMessage: 'Confirm who you are first: give your password or use your passkey again.',
  },
  ACCOUNT_SUSPENDED: {
    status: 403,
    consumerMessage: 'Sorry, this shop does not take payments at the moment.',
    merchantMessage: 'The account is suspended: ask the operator of the service to resume it.',
  },
  ORDER_NOT_FOUND: {
    status: 404,
    consumerMessage: 'Sorry, we could not find this order.',
    merchantMessage: 'No order of this account has this order_id: check the value.',
  },
  INVOICE_NOT_FOUND: {
    status: 404,
    consumerMessage: 'Sorry, we could not find this order.',
    merchantMessage: 'No order of this account has this invoice_id: check the value.',
  },
  TRANSACTION_NOT_FOUND: {
    status: 404,
    consumerMessage: 'Sorry, we could not find this payment.',
    merchantMessage: 'No transaction of this account has this transaction_id: check the value.',
  },
  NOT_FOUND: {
    status: 404,
    consumerMessage: technicalError,
    merchantMessage: 'There is nothing at this path: check the URL against /docs.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    consumerMessage: technicalError,
    merchantMessage: 'This path does not take this HTTP method: use one named in the Allow header.',
  },
  DUPLICATE_INVOICE_ID: {
    status: 409,
    consumerMessage: 'Sorry, this order already exists.',
    merchantMessage:
      'An order with this invoice_id exists already: use a new invoice_id for a new order.',
  },
  ORDER_COMPLETED: {
    status: 409,
    consumerMessage: 'This order is already paid.',
    merchantMessage: 'The order is completed and takes no further change or payment.',
  },
  ORDER_LAPSED: {
    status: 409,
    consumerMessage: 'This order has expired. Please start again from the shop.',
    merchantMessage: 'The order has lapsed: create a new order with a new invoice_id.',
  },
  ORDER_CONFLICT: {
    status: 409,
    consumerMessage: 'Sorry, this is not possible for this order.',
    merchantMessage:
      'The order is in a condition that does not allow this: the message of the refusal says which.',
  },
  DUPLICATE_REFUND_REQUEST: {
    status: 409,
    consumerMessage: 'This refund was already requested.',
    merchantMessage:
      'A refund with this refund_request_id exists with other content: send the same content again, or use a new refund_request_id for another refund.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    consumerMessage: technicalError,
    merchantMessage:
      'This Idempotency-Key was used for a request with other content within 24 hours: send the same content again, or use a new key for another request.',
  },
  RATE_NOT_CONFIRMED: {
    status: 409,
    consumerMessage: technicalError,
    merchantMessage:
      'The exchange rate is not within a factor of two of the former one: if it is right, repeat it in confirmed_rate.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    consumerMessage: technicalError,
    merchantMessage: 'The request body is larger than 256 KiB: send less.',
  },
  INVALID_REFUND_AMOUNT: {
    status: 422,
    consumerMessage: notAllowed,
    merchantMessage: 'The refund_amount is more than what is still available for refund.',
  },
  REFUND_NOT_ALLOWED: {
    status: 422,
    consumerMessage: notAllowed,
    merchantMessage:
      'This payment cannot be refunded: it has not succeeded, or its provider is not set up.',
  },
  PAYMENT_MODE_NOT_ENABLED: {
    status: 422,
    consumerMessage: 'This payment mode is not available. Please choose another.',
    merchantMessage:
      'The payment mode is not enabled for this account: use one listed by payment-modes.',
  },
  RATE_LIMITED: {
    status: 429,
    consumerMessage: technicalError,
    merchantMessage: 'Too many requests: wait the seconds named in Retry-After, then try again.',
    retryAfterSeconds: 1,
  },
  INTERNAL_ERROR: {
    status: 500,
    consumerMessage: technicalError,
    merchantMessage:
      'The service failed to handle this request: try again, and give the x-request-id to the operator if it keeps failing.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    consumerMessage: technicalError,
    merchantMessage:
      'The service cannot answer at the moment: try again with the same request after the seconds named in Retry-After.',
    retryAfterSeconds: 1,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

/** A refused request. `merchantMessage` never contains a secret or a token. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly merchantMessage: string;

  /** Replaces the usual time of the code. */
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

/** Refuses a request because of one field; the message names the field and the problem. */
export function refuseField(field: string, problem: string): never {
  throw new ServiceError('INVALID_REQUEST_PARAMETER', `${field} ${problem}.`);
}
