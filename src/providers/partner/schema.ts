/**
 * What the partner sends, for the API reference only. Deliveries are not validated against it: every
 * field may be absent or of another type, and values that cannot be used are ignored.
 */
import { Type } from 'typebox';

const text = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const minorUnits = Type.Integer({ description: 'Minor units of the currency' });
const notes = Type.Unsafe<object>({
  type: ['object', 'array'],
  description:
    'svc_order_id, svc_transaction_id, order_id or invoice_id name the order; [] when empty',
});
const acquirerData = Type.Unsafe<object>({
  type: ['object', 'array', 'null'],
  description: 'arn, rrn, auth_code, upi_transaction_id, bank_transaction_id, transaction_id, utr',
});

const Payment = Type.Object({
  id: Type.String({ description: 'pay_…' }),
  amount: minorUnits,
  currency: Type.String(),
  status: Type.String({ description: 'created, authorized, captured, refunded, failed, pending' }),
  order_id: text,
  method: Type.String({ description: 'card, upi, netbanking, wallet, emi, paylater …' }),
  card: Type.Unsafe<object>({ type: ['object', 'null'] }),
  upi: Type.Unsafe<object>({ type: ['object', 'null'] }),
  vpa: text,
  bank: text,
  wallet: text,
  fee: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  fee_bearer: text,
  notes,
  acquirer_data: acquirerData,
  error_code: text,
  error_description: text,
  error_source: text,
  error_step: text,
  error_reason: text,
  created_at: Type.Integer({ description: 'Unix seconds: the start of the payment' }),
});

const Refund = Type.Object({
  id: Type.String({ description: 'rfnd_…' }),
  payment_id: Type.String(),
  amount: minorUnits,
  currency: Type.String(),
  status: Type.String({ description: 'pending, processed, failed' }),
  receipt: text,
  notes,
  acquirer_data: acquirerData,
  created_at: Type.Integer({ description: 'Unix seconds' }),
});

export const partnerSchema = Type.Object(
  {
    event: Type.String({
      description:
        'payment.authorized, payment.captured, payment.failed, order.paid, refund.created, refund.processed, refund.failed, payment.dispute.created, payment.dispute.action_required, payment.dispute.lost',
    }),
    payload: Type.Object({
      payment: Type.Optional(Type.Object({ entity: Payment })),
      refund: Type.Optional(Type.Object({ entity: Refund })),
      order: Type.Optional(
        Type.Object({ entity: Type.Object({ id: Type.String(), receipt: text }) }),
      ),
    }),
    created_at: Type.Optional(Type.Integer({ description: 'Unix seconds of the event' })),
  },
  {
    description:
      'Signed in X-Razorpay-Signature: hex HMAC-SHA256 of the raw bytes under the webhook secret. The records may also come without `entity`.',
  },
);
