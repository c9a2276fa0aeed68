/** Maps the partner's reasons to our failure codes. Its `error_code` is nearly always the same, and so of no use. */
import {
  type FailureCode,
  type FailureReason,
  failureReason,
} from '../../domain/payments/failure.ts';
import { text, type WireObject } from '../wire.ts';
import { displayName } from './settings.ts';

/** `*` stands for any text. */
const reasonsByCode = {
  PAYMENT_CANCELLED_BY_CONSUMER: 'payment_cancelled',
  AUTHENTICATION_FAILED_AT_BANK:
    'authentication_failed incorrect_otp invalid_otp otp_expired otp_attempts_exceeded incorrect_pin incorrect_atm_pin pin_attempts_exceeded pin_not_set card_not_enrolled',
  INSUFFICIENT_FUNDS: 'insufficient_funds credit_limit_*',
  LIMIT_EXCEEDED:
    'transaction_limit_exceeded transaction_daily_*_exceeded transaction_frequency_limit_exceeded mcc_amount_limit_exceeded amount_less_than_minimum_amount',
  INVALID_PAYMENT_DETAILS:
    'card_number_invalid card_expired incorrect_cvv incorrect_card_* incorrect_cardholder_name card_type_invalid invalid_vpa vpa_resolution_failed bank_account_invalid',
  BANK_ACCOUNT_MISMATCH: 'bank_account_validation_failed',
  DECLINED_BY_BANK:
    'card_declined payment_declined payment_failed debit_declined debit_instrument_blocked debit_instrument_inactive international_transaction_not_allowed',
  RISK_REJECTED: 'payment_risk_check_failed compliance_violation payment_amount_tampered',
  PAYMENT_TIMED_OUT:
    'payment_timed_out request_timed_out payment_session_expired payment_collect_request_expired',
  PROVIDER_TECHNICAL_ERROR:
    'gateway_technical_error bank_technical_error issuer_technical_error upi_app_technical_error server_error bank_not_available psp_not_available psp_app_not_available bank_cutoff_in_progress payment_declined_due_to_high_traffic',
  PAYMENT_MODE_NOT_ENABLED: '*_not_enabled merchant_not_activated',
  ORDER_ALREADY_PAID: 'order_already_paid',
} as const satisfies Partial<Record<FailureCode, string>>;

const codesByReason = Object.entries(reasonsByCode).map(
  ([code, reasons]) => [code as FailureCode, toPattern(reasons)] as const,
);

function toPattern(reasons: string): RegExp {
  return new RegExp(`^(${reasons.replaceAll(' ', '|').replaceAll('*', '.*')})$`);
}

export function partnerFailure(payment: WireObject): FailureReason {
  const reason = text(payment.error_reason);
  const code = findFailureCode(reason) ?? 'PAYMENT_FAILED';
  const parts = [
    `reason ${reason ?? 'not given'}`,
    `source ${text(payment.error_source) ?? 'not given'}`,
    `step ${text(payment.error_step) ?? 'not given'}`,
  ];
  return failureReason(code, `${displayName} reports: ${parts.join(', ')}.`);
}

export function findFailureCode(reason: string | undefined): FailureCode | undefined {
  return codesByReason.find(([, pattern]) => pattern.test(reason ?? ''))?.[0];
}
