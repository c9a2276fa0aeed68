/** The wire shape of the transaction enquiry: every field is always present. Contract 5.7 to 5.9. */
import { type Static, type TSchema, Type } from 'typebox';
import { signatureVersions } from '../../domain/accounts/account.ts';
import { disputeStatuses } from '../../domain/disputes/dispute.ts';
import { orderStatuses } from '../../domain/orders/order.ts';
import { shownPaymentModes } from '../../domain/payment-mode.ts';
import { failureTable } from '../../domain/payments/failure.ts';
import { paymentStatuses, refundStatuses } from '../../domain/payments/notice.ts';
import { transactionTypes } from '../../services/enquiry.ts';
import { deliveryProviders } from '../../use-cases/inbox/receive-delivery.ts';
import {
  field,
  list,
  number,
  object,
  text,
  textOrNull,
  word,
  wordOrNull,
} from '../open-api/fields.ts';
import { CurrencyConversionReply, CustomAttributesReply } from './order-reply-schemas.ts';
import { textOrNumber } from './order-schemas.ts';

export const EnquiryBody = object(
  'EnquiryRequest',
  'With a merchant token at least one is required; all that are sent must refer to the same order. An order token names its order itself.',
  {
    transaction_id: textOrNumber(
      'Identifier of a transaction, issued by initiate-payment or refund.',
    ),
    svc_transaction_id: textOrNumber('Another name of transaction_id.'),
    order_id: textOrNumber('Identifier of the order, issued at creation.'),
    invoice_id: textOrNumber('Your reference used at creation.'),
  },
);
export type EnquiryBody = Static<typeof EnquiryBody>;

export const numberOrNull = (description: string) => field(['number', 'null'], description);
export const nullable = <Shape extends TSchema>(schema: Shape, description: string) =>
  Type.Unsafe<Static<Shape> | null>({ anyOf: [schema, { type: 'null' }], description });

const providerNames = deliveryProviders.map(({ displayName }) => displayName);

const FailureReply = object('FailureReason', 'Why a payment or refund failed.', {
  svc_error_code: word(Object.keys(failureTable), 'Why it failed: branch on this in your code.'),
  svc_consumer_message: text('May be shown to the consumer.'),
  svc_merchant_message: text('For your team: the reason as the provider reported it.'),
  retry_allowed: Type.Boolean({ description: 'True if another attempt makes sense.' }),
});

const AuthorizationReply = object(
  'Authorization',
  'What is reserved by a payment that you capture yourself. Amounts are in major units.',
  {
    capture_mode: word(['manual'], 'Payments that are captured by themselves have no such object.'),
    authorized_time: text('ISO 8601 time at which the amount was reserved.'),
    expiry_time: text('ISO 8601 time until which it can be captured.'),
    captured_amount: Type.Number({ description: 'What was captured so far.' }),
    voided_amount: Type.Number({ description: 'What was released.' }),
    available_authorized_amount: Type.Number({
      description: 'What can still be captured, without captures that are pending.',
    }),
  },
);
export type AuthorizationReply = Static<typeof AuthorizationReply>;

export const DisputeReply = object(
  'Dispute',
  'A consumer asks the bank to take a payment back. It changes neither the payment nor the order.',
  {
    dispute_id: text(
      'Identifier of the dispute at the provider; without one, its order id and transaction id, joined by |.',
    ),
    svc_transaction_id: text('Identifier of the disputed payment.'),
    status: word(
      disputeStatuses,
      'closed, won and lost are final. under_review waits for the bank.',
    ),
    phase: textOrNull(
      'Where the dispute stands: fraud, retrieval, chargeback, pre_arbitration or arbitration.',
    ),
    reason_code: textOrNull("The bank's code of the reason."),
    reason: textOrNull("The bank's words for the reason."),
    amount: numberOrNull(
      'What is claimed, in major units. While the dispute is open, under_review or lost it cannot be refunded.',
    ),
    currency: textOrNull('ISO 4217 code of the amounts.'),
    amount_deducted: numberOrNull('What was taken from you, in major units; 0 unless it is lost.'),
    respond_by: textOrNull('ISO 8601 time until which the provider accepts your evidence.'),
    action_required: Type.Boolean({
      description: 'True while the provider waits for something from you.',
    }),
    created_at: textOrNull('ISO 8601 time at which the dispute was opened.'),
  },
);
export type DisputeReply = Static<typeof DisputeReply>;

export const TransactionReply = object(
  'Transaction',
  'One payment attempt or one refund. Every field is present; unknown values are null.',
  {
    transaction_type: word(
      transactionTypes,
      'payment for a payment attempt; full_refund or partial_refund for a refund.',
    ),
    completion_time: numberOrNull(
      'Whole seconds from the start to the final status; null until it is final.',
    ),
    svc_transaction_id: text('Identifier of the transaction.'),
    payment_status: wordOrNull(
      paymentStatuses,
      'Status of the payment; null for a refund. failed, succeeded and reversed are final, and a late success still replaces failed.',
    ),
    message: textOrNull('What the provider says about the transaction.'),
    svc_signature: textOrNull(
      'Hex HMAC-SHA256 under the whole access secret; null until the status is final. v2 covers invoice_id|transaction_id|amount|currency, v3 adds |status|transaction_type.',
    ),
    signature_version: word(signatureVersions, 'Which signature the account uses.'),
    failure_reason: nullable(FailureReply, 'Present while the status is failed, otherwise null.'),
    payment_partner: wordOrNull(providerNames, 'The provider that the payment was made with.'),
    processing_payment_partner: wordOrNull(providerNames, 'The provider that processed it.'),
    psp_transaction_id: textOrNull('Identifier of the payment or refund at the provider.'),
    transaction_amount: numberOrNull('Amount in major units.'),
    transaction_currency: textOrNull('ISO 4217 code, as the provider reports it.'),
    additional_charges: numberOrNull(
      'Fee that the consumer paid on top of the order, in major units.',
    ),
    offer_discount: numberOrNull('Discount that the provider granted, in major units.'),
    offer_id: textOrNull('Identifier of the offer at the provider.'),
    payment_acquirer: textOrNull('The acquirer that the provider used.'),
    payment_mode: wordOrNull(
      shownPaymentModes,
      'How the consumer paid; Card when the funding is unknown. Null for a refund, and until it is known.',
    ),
    payment_arn: textOrNull("The bank's reference of the payment."),
    emi: field('null', 'Always null: the providers do not report it.'),
    sub_payment_mode: nullable(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        additionalProperties: { type: 'string' },
      }),
      'Details of the payment mode, such as bank_name, wallet_name, upi_id, or scheme, card_type, issuer and masked_card.',
    ),
    refund_status: wordOrNull(
      refundStatuses,
      'Status of the refund; for a payment that of its latest refund, or null.',
    ),
    refund_request_id: textOrNull(
      'Your reference of the refund; for a payment that of its latest refund.',
    ),
    refund_arn: textOrNull(
      "The bank's reference of the refund; for a payment that of its latest refund.",
    ),
    authorization_details: nullable(
      AuthorizationReply,
      'Null unless the payment was started for manual capture and was authorised.',
    ),
    disputes: list(
      DisputeReply,
      'The disputes of the payment, oldest first; empty without any, for a refund, and with an order token.',
    ),
  },
);
export type TransactionReply = Static<typeof TransactionReply>;

const RefundDetailsReply = object('RefundDetails', 'Sums in major units.', {
  refundable_currency: text('ISO 4217 code of the amounts.'),
  available_refundable_amount: number(
    'What can still be refunded: paid minus refunds, pending ones included, and minus what disputes claim that are open, under review or lost.',
  ),
  refunded_amount: number('Sum of the refunds that succeeded.'),
  total_refundable_amount: number('Sum of the payments that succeeded.'),
});

export const EnquiredOrder = object('EnquiredOrder', 'The order that the transactions belong to.', {
  svc_order_id: text('Identifier of the order.'),
  invoice_id: text('Your own reference for the order.'),
  status: word(orderStatuses, 'Status of the order, as in get order.'),
  custom_attributes: CustomAttributesReply,
  currency_conversion: nullable(
    CurrencyConversionReply,
    'The amounts that were sent; null when the order was not converted.',
  ),
  refund_details: nullable(
    RefundDetailsReply,
    'Null until a payment has succeeded or a refund is known.',
  ),
});

export const EnquiryReply = object(
  'Enquiry',
  'The latest status of an order and its transactions.',
  {
    transaction: list(
      TransactionReply,
      'Oldest first; only the one that was asked for when transaction_id was sent; empty for a new order.',
    ),
    order: EnquiredOrder,
  },
);
export type EnquiryReply = Static<typeof EnquiryReply>;
