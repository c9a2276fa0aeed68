import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type FailureCode,
  type FailureReason,
  failureTable,
} from '../../src/domain/payments/failure.ts';
import { partner } from '../../src/providers/partner/partner.ts';
import { partnerEvent, partnerPayment } from '../support/deliveries.ts';

type Row = { readonly retryAllowed: boolean; readonly reasons: readonly string[] };

/** Our code, whether a retry is allowed, and the partner's reasons for it, with examples for each `*`. */
const table: Partial<Record<FailureCode, Row>> = {
  PAYMENT_CANCELLED_BY_CONSUMER: { retryAllowed: true, reasons: ['payment_cancelled'] },
  AUTHENTICATION_FAILED_AT_BANK: {
    retryAllowed: true,
    reasons: [
      'authentication_failed',
      'incorrect_otp',
      'invalid_otp',
      'otp_expired',
      'otp_attempts_exceeded',
      'incorrect_pin',
      'pin_not_set',
      'card_not_enrolled',
      'incorrect_atm_pin',
      'pin_attempts_exceeded',
    ],
  },
  BANK_ACCOUNT_MISMATCH: { retryAllowed: true, reasons: ['bank_account_validation_failed'] },
  INSUFFICIENT_FUNDS: {
    retryAllowed: true,
    reasons: ['insufficient_funds', 'credit_limit_reached', 'credit_limit_not_approved'],
  },
  LIMIT_EXCEEDED: {
    retryAllowed: true,
    reasons: [
      'transaction_limit_exceeded',
      'transaction_daily_limit_exceeded',
      'transaction_daily_count_exceeded',
      'amount_less_than_minimum_amount',
      'transaction_frequency_limit_exceeded',
      'mcc_amount_limit_exceeded',
    ],
  },
  INVALID_PAYMENT_DETAILS: {
    retryAllowed: true,
    reasons: [
      'card_number_invalid',
      'card_expired',
      'incorrect_cvv',
      'incorrect_card_details',
      'incorrect_card_expiry_date',
      'invalid_vpa',
      'bank_account_invalid',
      'incorrect_cardholder_name',
      'card_type_invalid',
      'vpa_resolution_failed',
    ],
  },
  DECLINED_BY_BANK: {
    retryAllowed: true,
    reasons: [
      'card_declined',
      'payment_declined',
      'payment_failed',
      'debit_declined',
      'debit_instrument_blocked',
      'international_transaction_not_allowed',
      'debit_instrument_inactive',
    ],
  },
  RISK_REJECTED: {
    retryAllowed: false,
    reasons: ['payment_risk_check_failed', 'compliance_violation', 'payment_amount_tampered'],
  },
  PAYMENT_TIMED_OUT: {
    retryAllowed: true,
    reasons: [
      'payment_timed_out',
      'request_timed_out',
      'payment_session_expired',
      'payment_collect_request_expired',
    ],
  },
  PROVIDER_TECHNICAL_ERROR: {
    retryAllowed: true,
    reasons: [
      'gateway_technical_error',
      'bank_technical_error',
      'server_error',
      'bank_not_available',
      'issuer_technical_error',
      'upi_app_technical_error',
      'psp_not_available',
      'psp_app_not_available',
      'bank_cutoff_in_progress',
      'payment_declined_due_to_high_traffic',
    ],
  },
  PAYMENT_MODE_NOT_ENABLED: {
    retryAllowed: false,
    reasons: [
      'payment_method_not_enabled',
      'wallet_not_enabled',
      'international_payments_not_enabled',
      'merchant_not_activated',
    ],
  },
  ORDER_ALREADY_PAID: { retryAllowed: false, reasons: ['order_already_paid'] },
  PAYMENT_FAILED: {
    retryAllowed: true,
    reasons: [
      'a_reason_of_tomorrow',
      'transaction_daily_limit',
      'my_payment_cancelled',
      'enabled',
      'credit_limit',
      'not_enabled',
      'INSUFFICIENT_FUNDS',
      'constructor',
      'NA',
    ],
  },
};

for (const [code, { retryAllowed, reasons }] of Object.entries(table)) {
  for (const reason of reasons) {
    test(`${reason} is ${code}, and a retry is ${retryAllowed ? 'allowed' : 'not allowed'}`, () => {
      const failure = failureOf({ error_reason: reason });
      assert.equal(failure?.code, code);
      assert.equal(failure?.retryAllowed, retryAllowed);
    });
  }
}

test('every failure code occurs for the partner, except those of our own calls and of refunds', () => {
  assert.deepEqual(
    Object.keys(table).sort(),
    Object.keys(failureTable)
      .filter((code) => code !== 'REFUND_FAILED' && code !== 'PROVIDER_UNAVAILABLE')
      .sort(),
  );
});

test('the merchant message names reason, source and step', () => {
  const failure = failureOf({
    error_code: 'BAD_REQUEST_ERROR',
    error_reason: 'incorrect_otp',
    error_source: 'issuer_bank',
    error_step: 'payment_authentication',
  });
  for (const word of ['incorrect_otp', 'issuer_bank', 'payment_authentication']) {
    assert.ok(failure?.merchantMessage.includes(word), failure?.merchantMessage);
  }
});

test('empty, null or absent errors mean PAYMENT_FAILED', () => {
  const names = ['error_code', 'error_description', 'error_reason', 'error_source', 'error_step'];
  for (const nothing of ['', null, undefined, [], {}]) {
    const failure = failureOf(Object.fromEntries(names.map((name) => [name, nothing])));
    assert.equal(failure?.code, 'PAYMENT_FAILED');
    assert.equal(failure?.retryAllowed, true);
    assert.doesNotMatch(failure?.merchantMessage ?? '', /null|undefined|object/);
  }
});

test('only the reason of the error decides, never its code', () => {
  for (const error_code of ['BAD_REQUEST_ERROR', 'GATEWAY_ERROR', 'SERVER_ERROR', '', null]) {
    const failure = failureOf({ error_code, error_reason: 'insufficient_funds' });
    assert.equal(failure?.code, 'INSUFFICIENT_FUNDS');
  }
});

test('a payment that did not fail has no reason, whatever its error fields say', () => {
  for (const event of ['payment.authorized', 'payment.captured', 'order.paid']) {
    assert.equal(failureOf({ error_reason: 'insufficient_funds' }, event), undefined);
  }
});

function failureOf(
  errors: Record<string, unknown>,
  event = 'payment.failed',
): FailureReason | undefined {
  const payment = partnerPayment({ status: 'failed', ...errors });
  const body = Buffer.from(JSON.stringify(partnerEvent(event, { payment })));
  const translation = partner.translate({ headers: {}, body }, { expectedMerchant: null });
  if (translation.kind !== 'notice') assert.fail(translation.why);
  return translation.notice.payment?.failure;
}
