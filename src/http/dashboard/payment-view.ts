/** Payments and their refunds in the field names of the dashboard. */

import { maskUpiId } from '../../domain/consumers/mask.ts';
import type { MinorUnits } from '../../domain/money/money.ts';
import { type FailureReason, failureTable } from '../../domain/payments/failure.ts';
import type { Capture, Payment, Refund, Transaction } from '../../domain/payments/transaction.ts';
import type { ReviewFlag } from '../../domain/review-flag.ts';
import type { ShownPayment } from '../../use-cases/orders/get-order-page.ts';
import { amountText, providerView } from './view-parts.ts';

export type FlagView = {
  readonly flag: ReviewFlag;
  readonly advice: string;
  readonly resolved_at: string | null;
  readonly resolved_by: string | null;
};

/** The flags of an order or transaction. */
export type ShowFlags = (subject: string, flags: readonly ReviewFlag[]) => readonly FlagView[];

export function paymentView(
  { payment, refunds, ...shown }: ShownPayment,
  { masked, showFlags }: { readonly masked: boolean; readonly showFlags: ShowFlags },
) {
  const text = amountsIn(payment.currency);
  return {
    ...transactionView(payment, showFlags),
    payment_status: payment.status,
    payment_mode: shown.mode,
    mode_details: masked ? maskUpiId(payment.subPaymentMode) : payment.subPaymentMode,
    provider_order_id: payment.start?.providerOrderId ?? null,
    origin: originOf(payment),
    given_up: payment.start?.givenUpAtMs !== undefined,
    arn: payment.paymentArn,
    acquirer: payment.paymentAcquirer,
    fee: text(payment.customerFee),
    offer_id: payment.offerId,
    offer_discount: text(payment.offerDiscount),
    voided: payment.voided,
    captures: (payment.captures ?? []).map((capture) => captureView(capture, text)),
    available_amount: text(shown.available),
    refunds: refunds.map((refund) => refundView(refund, showFlags)),
    refunds_total: shown.refundsTotal,
    refunded_so_far: text(shown.refundedSoFar),
  };
}

export function refundView(refund: Refund, showFlags: ShowFlags) {
  const text = amountsIn(refund.currency);
  return {
    ...transactionView(refund, showFlags),
    refund_status: refund.status,
    refund_request_id: refund.refundRequestId,
    arn: refund.refundArn,
    parts: (refund.parts ?? []).map(({ pspId, amount, status }) => ({
      psp_transaction_id: pspId,
      amount: text(amount),
      refund_status: status,
    })),
  };
}

function transactionView(transaction: Transaction, showFlags: ShowFlags) {
  const { transactionId, provider, currency, failure } = transaction;
  return {
    transaction_id: transactionId,
    ...providerView(provider),
    psp_transaction_id: transaction.pspTransactionId,
    amount: amountsIn(currency)(transaction.amount),
    currency,
    started_at: isoOf(transaction.startedAtMs),
    finished_at: isoOf(transaction.finishedAtMs),
    /** Of our call to the provider; null if it was not started here. */
    call: transaction.start?.call ?? null,
    failure: failure && failureView(failure),
    flags: showFlags(transactionId, transaction.flags),
  };
}

function failureView({ code, merchantMessage, retryAllowed }: FailureReason) {
  return {
    code,
    message: merchantMessage,
    consumer_message: failureTable[code].consumerMessage,
    retry_allowed: retryAllowed,
  };
}

function captureView({ pspId, amount, status, atMs }: Capture, text: Texts) {
  return { psp_transaction_id: pspId, amount: text(amount), status, at: isoOf(atMs) };
}

/** Where it was started: our checkout page, our API, or at the provider. */
function originOf({ start }: Payment): 'checkout' | 'api' | 'provider' {
  if (!start) return 'provider';
  return start.origin ?? 'api';
}

type Texts = (minor: MinorUnits | null) => string | null;

function amountsIn(currency: string | null): Texts {
  return (minor) => (minor === null || currency === null ? null : amountText(minor, currency));
}

function isoOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
