/** Why a payment or refund failed: our codes, the message for the consumer, and whether a retry makes sense. */

const retryable = (consumerMessage: string) => ({ retryAllowed: true, consumerMessage }) as const;
const final = (consumerMessage: string) => ({ retryAllowed: false, consumerMessage }) as const;

/** Contract 8.3. */
export const failureTable = {
  PAYMENT_CANCELLED_BY_CONSUMER: retryable('You cancelled the payment. You can try again.'),
  AUTHENTICATION_FAILED_AT_BANK: retryable(
    'Your bank could not confirm that it was you. Please try again.',
  ),
  INSUFFICIENT_FUNDS: retryable('There were not enough funds. Please use another payment mode.'),
  LIMIT_EXCEEDED: retryable(
    'A limit of your card or account was reached. Please use another payment mode.',
  ),
  INVALID_PAYMENT_DETAILS: retryable(
    'The payment details were not correct. Please check them and try again.',
  ),
  BANK_ACCOUNT_MISMATCH: retryable(
    'The payment did not come from the bank account that was named for this order. Please pay from that account.',
  ),
  DECLINED_BY_BANK: retryable('Your bank declined the payment. Please use another payment mode.'),
  RISK_REJECTED: final('The payment could not be accepted.'),
  PAYMENT_TIMED_OUT: retryable('The payment took too long. Please try again.'),
  PROVIDER_TECHNICAL_ERROR: retryable(
    'The payment failed for a technical reason. Please try again.',
  ),
  PROVIDER_UNAVAILABLE: retryable(
    'The payment could not be started. Nothing was charged. Please try again.',
  ),
  PAYMENT_MODE_NOT_ENABLED: final('This payment mode is not available. Please use another one.'),
  ORDER_ALREADY_PAID: final('This order has been paid already.'),
  PAYMENT_FAILED: retryable('The payment failed. Please try again.'),
  REFUND_FAILED: retryable('The refund could not be made yet. Please contact the shop.'),
};

export type FailureCode = keyof typeof failureTable;

export type FailureReason = {
  readonly code: FailureCode;
  /** Includes the provider's reason, source and step, or its code and message. */
  readonly merchantMessage: string;
  readonly retryAllowed: boolean;
};

export function failureReason(code: FailureCode, merchantMessage: string): FailureReason {
  return { code, merchantMessage, retryAllowed: failureTable[code].retryAllowed };
}
