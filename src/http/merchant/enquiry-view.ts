/** Renders the reply to an enquiry, and its transactions as events and returns show them. Contract 4.6, 5.3 to 5.10. */
import { maskAddress } from '../../domain/consumers/mask.ts';
import type { Dispute } from '../../domain/disputes/dispute.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { type MinorUnits, majorNumber } from '../../domain/money/money.ts';
import { refundBalance } from '../../domain/order-state/refund-links.ts';
import { orderStatus } from '../../domain/orders/order.ts';
import { type FailureReason, failureTable } from '../../domain/payments/failure.ts';
import { describeAuthorization } from '../../domain/payments/hold.ts';
import type { Payment, Refund } from '../../domain/payments/transaction.ts';
import { isoTimestamp } from '../../domain/time.ts';
import type { EnquiredTransaction, Enquiry } from '../../services/enquiry.ts';
import type {
  AuthorizationReply,
  DisputeReply,
  EnquiryReply,
  TransactionReply,
} from './enquiry-schemas.ts';
import { attributesView, conversionView } from './order-view.ts';

export function enquiryView(
  enquiry: Enquiry,
  { now, masked }: { readonly now: Date; readonly masked: boolean },
): EnquiryReply {
  const { order, transactions } = enquiry;
  // A payment that does not complete its order can be refunded too, and a refund can be known before its payment.
  // Contract 5.5.
  const hasRefundDetails = transactions.some(
    ({ type, status }) => type === 'refund' || status === 'succeeded',
  );
  return {
    transaction: enquiry.enquired.map((enquired) =>
      transactionView(enquired, enquiry, { now, masked }),
    ),
    order: {
      svc_order_id: order.orderId,
      invoice_id: order.invoiceId,
      status: orderStatus(order, now),
      custom_attributes: attributesView(order.details.customAttributes ?? []),
      currency_conversion: conversionView(order) ?? null,
      refund_details: hasRefundDetails ? refundDetailsView(enquiry, order.amounts.currency) : null,
    },
  };
}

function transactionView(
  { transaction, latestRefund, ...enquired }: EnquiredTransaction,
  { signatureVersion }: Enquiry,
  { now, masked }: { readonly now: Date; readonly masked: boolean },
): TransactionReply {
  const payment = transaction.type === 'payment' ? transaction : null;
  const refund = transaction.type === 'payment' ? latestRefund : transaction;
  const amount = (minor: MinorUnits | null) => amountView(minor, transaction.currency);
  const viewOf = (dispute: Dispute) => disputeView(dispute, transaction.transactionId);
  return {
    transaction_type: enquired.transactionType,
    completion_time: completionSeconds(transaction),
    svc_transaction_id: transaction.transactionId,
    payment_status: payment?.status ?? null,
    message: transaction.message,
    svc_signature: enquired.signature,
    signature_version: signatureVersion,
    failure_reason: transaction.failure && failureView(transaction.failure),
    payment_partner: enquired.providerName,
    processing_payment_partner: enquired.providerName,
    psp_transaction_id: transaction.pspTransactionId,
    transaction_amount: amount(transaction.amount),
    transaction_currency: transaction.currency,
    additional_charges: payment && amount(payment.customerFee),
    offer_discount: payment && amount(payment.offerDiscount),
    offer_id: payment?.offerId ?? null,
    payment_acquirer: payment?.paymentAcquirer ?? null,
    payment_mode: payment && enquired.paymentMode,
    payment_arn: payment?.paymentArn ?? null,
    emi: null,
    sub_payment_mode: payment && subPaymentModeView(payment, masked),
    refund_status: refund?.status ?? null,
    refund_request_id: refund?.refundRequestId ?? null,
    refund_arn: refund?.refundArn ?? null,
    authorization_details: payment && authorizationView(payment, now),
    disputes: masked ? [] : (payment?.disputes ?? []).map(viewOf),
  };
}

function authorizationView(payment: Payment, now: Date): AuthorizationReply | null {
  const details = describeAuthorization(payment, now);
  if (!details) return null;
  const amount = (minor: MinorUnits) => majorNumber(minor, displayExponent(payment.currency ?? ''));
  return {
    capture_mode: 'manual',
    authorized_time: isoTimestamp(new Date(details.authorizedAtMs)),
    expiry_time: isoTimestamp(new Date(details.expiresAtMs)),
    captured_amount: amount(details.captured),
    voided_amount: amount(details.voided),
    available_authorized_amount: amount(details.available),
  };
}

/** The bank's claim is between the shop and its bank: an order token does not see it. Contract 17.1, 17.8. */
export function disputeView(dispute: Dispute, transactionId: string): DisputeReply {
  const { currency, respondByMs, createdAtMs } = dispute;
  return {
    dispute_id: dispute.disputeId,
    svc_transaction_id: transactionId,
    status: dispute.status,
    phase: dispute.phase,
    reason_code: dispute.reasonCode,
    reason: dispute.reason,
    amount: amountView(dispute.amount, currency),
    currency,
    amount_deducted: amountView(dispute.amountDeducted, currency),
    respond_by: isoOrNull(respondByMs),
    action_required: dispute.actionRequired,
    created_at: isoOrNull(createdAtMs),
  };
}

const isoOrNull = (ms: number | null) => (ms === null ? null : isoTimestamp(new Date(ms)));

function completionSeconds({ startedAtMs, finishedAtMs }: Payment | Refund): number | null {
  if (startedAtMs === null || finishedAtMs === null) return null;
  return Math.max(0, Math.floor((finishedAtMs - startedAtMs) / 1000));
}

function amountView(minor: MinorUnits | null, currency: string | null): number | null {
  return minor === null || currency === null ? null : majorNumber(minor, displayExponent(currency));
}

function failureView({ code, merchantMessage, retryAllowed }: FailureReason) {
  return {
    svc_error_code: code,
    svc_consumer_message: failureTable[code].consumerMessage,
    svc_merchant_message: merchantMessage,
    retry_allowed: retryAllowed,
  };
}

/** Contract 2.3: an order token sees the consumer's UPI id masked. */
function subPaymentModeView({ subPaymentMode: fields }: Payment, masked: boolean) {
  return masked && fields?.upi_id ? { ...fields, upi_id: maskAddress(fields.upi_id) } : fields;
}

export function refundDetailsView({ transactions }: Enquiry, currency: string) {
  const { paid, refunded, available } = refundBalance(transactions, currency);
  const exponent = displayExponent(currency);
  return {
    refundable_currency: currency,
    available_refundable_amount: majorNumber(available, exponent),
    refunded_amount: majorNumber(refunded, exponent),
    total_refundable_amount: majorNumber(paid, exponent),
  };
}

/**
 * With the names that shop plugins and SDKs read, in events and returns. Plugins take `status` for the payment's, so a
 * refund has none. Contract 5.10.
 */
export function sentTransactionView(element: TransactionReply) {
  const named = {
    ...element,
    transaction_id: element.svc_transaction_id,
    signature: element.svc_signature,
  };
  return element.transaction_type === 'payment'
    ? { ...named, status: element.payment_status }
    : { ...named, refund_amount: element.transaction_amount };
}
