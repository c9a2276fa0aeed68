/**
 * What the partner sends, for the API reference only. Deliveries are not validated against it: every
 * field may be absent or of another type, and values that cannot be used are ignored.
 */
import { type TSchema, Type } from 'typebox';

/** The partner sends more fields than are used. */
const open = { additionalProperties: true };
const text = (description: string) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description }));
const words = (values: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], description });
const minorUnits = Type.Integer({ description: 'Amount in minor units of the currency.' });
const currency = Type.String({ description: 'ISO 4217 code.' });
const objectOrNull = (description: string) =>
  Type.Optional(Type.Unsafe<object>({ type: ['object', 'null'], description }));
const notes = Type.Optional(
  Type.Unsafe<object>({
    type: ['object', 'array'],
    items: {},
    description:
      'svc_order_id, svc_transaction_id, order_id or invoice_id name the order; [] when empty.',
  }),
);
const acquirerData = Type.Optional(
  Type.Unsafe<object>({
    type: ['object', 'array', 'null'],
    items: {},
    description:
      'arn, rrn, auth_code, upi_transaction_id, bank_transaction_id, transaction_id or utr.',
  }),
);

const Payment = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the payment: pay_ and 14 characters.' }),
    amount: minorUnits,
    currency,
    status: words(
      ['created', 'authorized', 'captured', 'refunded', 'failed', 'pending'],
      'Status of the payment.',
    ),
    order_id: text('Identifier of the order at the partner.'),
    method: words(
      ['card', 'upi', 'netbanking', 'wallet', 'emi', 'paylater'],
      'How the consumer paid. Other values are accepted and shown as unknown.',
    ),
    card: objectOrNull('Card: network, type, issuer, last4.'),
    upi: objectOrNull('UPI: vpa, flow.'),
    vpa: text('UPI id of the consumer.'),
    bank: text('Code of the bank.'),
    wallet: text('Code of the wallet.'),
    fee: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Fee of the partner, in minor units.',
      }),
    ),
    fee_bearer: text('customer when the consumer pays the fee.'),
    notes,
    acquirer_data: acquirerData,
    error_code: text('Code of a failure.'),
    error_description: text('Description of a failure.'),
    error_source: text('Where it failed, such as bank, gateway or issuer.'),
    error_step: text('The step that failed.'),
    error_reason: text('Why it failed.'),
    created_at: Type.Integer({ description: 'Start of the payment, Unix seconds.' }),
  },
  { ...open, title: 'PartnerPayment', description: 'A payment at the partner.' },
);

const Refund = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the refund: rfnd_ and 14 characters.' }),
    payment_id: Type.String({ description: 'The refunded payment.' }),
    amount: minorUnits,
    currency,
    status: words(['pending', 'processed', 'failed'], 'Status of the refund.'),
    receipt: text('Our reference of the refund.'),
    notes,
    acquirer_data: acquirerData,
    created_at: Type.Integer({ description: 'Start of the refund, Unix seconds.' }),
  },
  { ...open, title: 'PartnerRefund', description: 'A refund at the partner.' },
);

const Order = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the order at the partner.' }),
    receipt: text('Our order id, or your invoice id.'),
  },
  { ...open, title: 'PartnerOrder', description: 'The order at the partner.' },
);

const record = <Entity extends TSchema>(entity: Entity, name: string) =>
  Type.Optional(
    Type.Object({ entity }, { ...open, description: `The ${name} that the event is about.` }),
  );

const events = [
  'payment.authorized',
  'payment.captured',
  'payment.failed',
  'order.paid',
  'refund.created',
  'refund.processed',
  'refund.failed',
  'payment.dispute.created',
  'payment.dispute.action_required',
  'payment.dispute.lost',
];

export const partnerSchema = Type.Object(
  {
    event: words(events, 'The events that are acted on. Others are stored as ignored.'),
    payload: Type.Object(
      {
        payment: record(Payment, 'payment'),
        refund: record(Refund, 'refund'),
        order: record(Order, 'order'),
      },
      { ...open, description: 'The records. They may also come without `entity`.' },
    ),
    created_at: Type.Optional(Type.Integer({ description: 'Time of the event, Unix seconds.' })),
  },
  { ...open, title: 'PartnerEvent', description: 'An event of the payment partner.' },
);
