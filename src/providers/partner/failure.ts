/** The partner's reasons to our failure codes. Its `error_code` nearly always says the same. */
import { type FailureCode, type FailureReason, failureReason } from '../../domain/failure.ts';
import { text, type WireObject } from '../wire.ts';

const codesByReason: ReadonlyArray<readonly [FailureCode, RegExp]> = [
  ['PAYMENT_CANCELLED_BY_CONSUMER', /^payment_cancelled$/],
  [
    'AUTHENTICATION_FAILED_AT_BANK',
    /^(authentication_failed|incorrect_otp|invalid_otp|otp_expired|otp_attempts_exceeded|incorrect_pin|pin_not_set|card_not_enrolled)$/,
  ],
  ['INSUFFICIENT_FUNDS', /^(insufficient_funds|credit_limit_.*)$/],
  [
    'LIMIT_EXCEEDED',
    /^(transaction_limit_exceeded|transaction_daily_.*_exceeded|amount_less_than_minimum_amount)$/,
  ],
  [
    'INVALID_PAYMENT_DETAILS',
    /^(card_number_invalid|card_expired|incorrect_cvv|incorrect_card_.*|invalid_vpa|bank_account_invalid)$/,
  ],
  [
    'DECLINED_BY_BANK',
    /^(card_declined|payment_declined|payment_failed|debit_declined|debit_instrument_blocked|international_transaction_not_allowed)$/,
  ],
  ['RISK_REJECTED', /^(payment_risk_check_failed|compliance_violation)$/],
  [
    'PAYMENT_TIMED_OUT',
    /^(payment_timed_out|request_timed_out|payment_session_expired|payment_collect_request_expired)$/,
  ],
  [
    'PROVIDER_TECHNICAL_ERROR',
    /^(gateway_technical_error|bank_technical_error|server_error|bank_not_available)$/,
  ],
  ['PAYMENT_MODE_NOT_ENABLED', /^(payment_method_not_enabled|.*_not_enabled)$/],
];

export function partnerFailure(payment: WireObject): FailureReason {
  const reason = text(payment.error_reason);
  const [code] = codesByReason.find(([, pattern]) => pattern.test(reason ?? '')) ?? [
    'PAYMENT_FAILED',
  ];
  const words = [
    `reason ${reason ?? 'not given'}`,
    `source ${text(payment.error_source) ?? 'not given'}`,
    `step ${text(payment.error_step) ?? 'not given'}`,
  ];
  return failureReason(code, `The payment partner reports: ${words.join(', ')}.`);
}
