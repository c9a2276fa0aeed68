/** Why a payment or refund failed: our codes, the message for the consumer, and whether a retry makes sense. */

type FailureEntry = { readonly retryAllowed: boolean; readonly consumerMessage: string };

/** Contract 8.3. */
export const failureTable = {
  PAYMENT_CANCELLED_BY_CONSUMER: {
    retryAllowed: true,
    consumerMessage: 'You cancelled the payment. You can try again.',
  },
  AUTHENTICATION_FAILED_AT_BANK: {
    retryAllowed: true,
    consumerMessage: 'Your bank could not confirm that it was you. Please try again.',
  },
  INSUFFICIENT_FUNDS: {
    retryAllowed: true,
    consumerMessage: 'There were not enough funds. Please use another payment mode.',
  },
  LIMIT_EXCEEDED: {
    retryAllowed: true,
    consumerMessage:
      'A limit of your card or account was reached. Please use another payment mode.',
  },
  INVALID_PAYMENT_DETAILS: {
    retryAllowed: true,
    consumerMessage: 'The payment details were not correct. Please check them and try again.',
  },
  DECLINED_BY_BANK: {
    retryAllowed: true,
    consumerMessage: 'Your bank declined the payment. Please use another payment mode.',
  },
  RISK_REJECTED: {
    retryAllowed: false,
    consumerMessage: 'The payment could not be accepted.',
  },
  PAYMENT_TIMED_OUT: {
    retryAllowed: true,
    consumerMessage: 'The payment took too long. Please try again.',
  },
  PROVIDER_TECHNICAL_ERROR: {
    retryAllowed: true,
    consumerMessage: 'The payment failed for a technical reason. Please try again.',
  },
  PROVIDER_UNAVAILABLE: {
    retryAllowed: true,
    consumerMessage: 'The payment could not be started. Nothing was charged. Please try again.',
  },
  PAYMENT_MODE_NOT_ENABLED: {
    retryAllowed: false,
    consumerMessage: 'This payment mode is not available. Please use another one.',
  },
  ORDER_ALREADY_PAID: {
    retryAllowed: false,
    consumerMessage: 'This order has been paid already.',
  },
  PAYMENT_FAILED: {
    retryAllowed: true,
    consumerMessage: 'The payment failed. Please try again.',
  },
  REFUND_FAILED: {
    retryAllowed: true,
    consumerMessage: 'The refund could not be made yet. Please contact the shop.',
  },
} as const satisfies Record<string, FailureEntry>;

export type FailureCode = keyof typeof failureTable;

export type FailureReason = {
  readonly code: FailureCode;
  /** Includes the provider's reason, source and step, or its code and message. */
  readonly merchantMessage: string;
  readonly retryAllowed: boolean;
};

export function failureReason(
  code: FailureCode,
  merchantMessage: string,
  retryAllowed: boolean = failureTable[code].retryAllowed,
): FailureReason {
  return { code, merchantMessage, retryAllowed };
}
