/** The wire shape of the transaction enquiry: every field is always present. Contract 5.7 to 5.9. */
import { type Static, Type } from 'typebox';
import { limits } from '../../domain/limits.ts';
import { CurrencyConversionReply } from './order-reply-schemas.ts';

const id = (description: string) =>
  Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ['string', 'number', 'null'],
      maxLength: limits.textCharsMax,
      description,
    }),
  );

export const EnquiryBody = Type.Object(
  {
    transaction_id: id('Identifier of a transaction.'),
    order_id: id('Identifier of the order, issued at creation.'),
    invoice_id: id('Your reference used at creation.'),
  },
  { description: 'At least one is required; all that are sent must refer to the same order.' },
);
export type EnquiryBody = Static<typeof EnquiryBody>;

const text = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const number = Type.Unsafe<number | null>({ type: ['number', 'null'] });
const nullable = <Shape>(schema: object) =>
  Type.Unsafe<Shape | null>({ anyOf: [schema, { type: 'null' }] });

const FailureReply = Type.Object({
  svc_error_code: Type.String(),
  svc_consumer_message: Type.String(),
  svc_merchant_message: Type.String(),
  retry_allowed: Type.Boolean(),
});

export const TransactionReply = Type.Object({
  transaction_type: Type.String({ description: 'payment, full_refund or partial_refund' }),
  completion_time: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'Whole seconds from the start to the final status.',
  }),
  svc_transaction_id: Type.String(),
  payment_status: text,
  message: text,
  svc_signature: text,
  signature_version: Type.String(),
  failure_reason: nullable<Static<typeof FailureReply>>(FailureReply),
  payment_partner: text,
  processing_payment_partner: text,
  psp_transaction_id: text,
  transaction_amount: number,
  transaction_currency: text,
  additional_charges: number,
  offer_discount: number,
  offer_id: text,
  payment_acquirer: text,
  payment_mode: text,
  payment_arn: text,
  emi: Type.Unsafe<null>({
    type: 'null',
    description: 'Always null: the providers do not report it.',
  }),
  sub_payment_mode: nullable<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
  refund_status: text,
  refund_request_id: text,
  refund_arn: text,
});
export type TransactionReply = Static<typeof TransactionReply>;

const RefundDetailsReply = Type.Object({
  refundable_currency: Type.String(),
  available_refundable_amount: Type.Number(),
  refunded_amount: Type.Number(),
  total_refundable_amount: Type.Number(),
});

export const EnquiryReply = Type.Object({
  transaction: Type.Array(TransactionReply),
  order: Type.Object({
    svc_order_id: Type.String(),
    invoice_id: Type.String(),
    status: Type.String(),
    custom_attributes: Type.Array(Type.Object({ key: Type.String(), value: Type.String() })),
    currency_conversion: nullable<Static<typeof CurrencyConversionReply>>(CurrencyConversionReply),
    refund_details: nullable<Static<typeof RefundDetailsReply>>(RefundDetailsReply),
  }),
});
export type EnquiryReply = Static<typeof EnquiryReply>;
