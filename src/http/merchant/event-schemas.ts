/** The wire shapes of events: for the API reference, for the types of the client, and to check what is sent. Contract 12.4. */
import { type TProperties, type TSchema, Type } from 'typebox';
import { type EventType, eventTypes } from '../../domain/event-type.ts';
import { orderStatuses } from '../../domain/orders/order.ts';
import { paymentStatuses, refundStatuses } from '../../domain/payments/notice.ts';
import { operationStatuses } from '../../domain/payments/transaction.ts';
import { transactionTypes } from '../../services/enquiry.ts';
import { field, object, text, textOrNull, word } from '../open-api/fields.ts';
import { DisputeReply, EnquiredOrder, nullable, TransactionReply } from './enquiry-schemas.ts';
import { amountFields, UserReply } from './order-reply-schemas.ts';

/** `endpoint test` sends a type of its own, which no change of an order has. */
export type SentEventType = EventType | 'test';

const ofKind = (start: string) => eventTypes.filter((type) => type.startsWith(start));
const none = (description: string) => field('null', description);

const sentFields = {
  svc_signature: textOrNull(
    'As in the enquiry, but v3 signs every status. Null if the amount is unknown.',
  ),
  transaction_id: text('The same value as svc_transaction_id.'),
  signature: textOrNull('The same value as svc_signature.'),
};

const EventPayment = object(
  'EventPayment',
  'The payment of the enquiry at the time of the event.',
  {
    ...TransactionReply.properties,
    transaction_type: word(['payment'], 'A payment attempt.'),
    payment_status: word(paymentStatuses, 'Status of the payment.'),
    ...sentFields,
    status: word(paymentStatuses, 'The same value as payment_status.'),
  },
);

const EventRefund = object('EventRefund', 'The refund of the enquiry at the time of the event.', {
  ...TransactionReply.properties,
  transaction_type: word(
    transactionTypes.filter((type) => type !== 'payment'),
    'Whether the whole payment is refunded.',
  ),
  refund_status: word(refundStatuses, 'Status of the refund.'),
  ...sentFields,
  refund_amount: field(['number', 'null'], 'The same value as transaction_amount.'),
});

const EventOrder = object('EventOrder', 'The order of the enquiry at the time of the event.', {
  ...EnquiredOrder.properties,
  currency: text('ISO 4217 code of the currency that the order is processed in.'),
  ...amountFields,
});

const headOf = (types: readonly SentEventType[], statuses: readonly string[], status: string) => ({
  version: word(['v3'], 'Version of the body.'),
  event_id: text('The header webhook-id. A repeat has the same id: store it and ignore repeats.'),
  event_type: word(types, 'What the event reports.'),
  sequence: Type.Integer({
    description:
      'Counts the events of an order. Events may arrive in another order: a higher number is newer.',
  }),
  occurred_at: text('ISO 8601 time of the change.'),
  status: word(statuses, status),
  event_status: word(
    ['success', 'failed', 'pending'],
    'status in three words, for plugins that know no others.',
  ),
  message: text('What has happened, in words. Safe to show to the consumer.'),
  svc_order_id: text('Identifier of the order.'),
  svc_transaction_id: text('Identifier of the transaction.'),
  svc_signature: textOrNull('That of the transaction, for plugins that look for it here.'),
  is_webhook: field('boolean', 'Tells an event from a return of the consumer.', { enum: [true] }),
});

const orderFields = {
  order: EventOrder,
  user: nullable(UserReply, 'The consumer, unmasked; null if the order has none.'),
};

const eventOf = (title: string, description: string, fields: TProperties) =>
  object(title, description, { ...fields, ...orderFields });

const PaymentEvent = eventOf('PaymentEvent', 'A payment has a new status.', {
  ...headOf(
    ofKind('payment_'),
    ['authorized', 'succeeded', 'failed', 'reversing', 'reversed'],
    'Status of the payment.',
  ),
  transaction: EventPayment,
});

const RefundEvent = eventOf('RefundEvent', 'A refund has a new status.', {
  ...headOf(ofKind('refund_'), ['pending', 'succeeded', 'failed'], 'Status of the refund.'),
  transaction: EventRefund,
});

const operationEvent = (title: string, kind: 'capture' | 'void', description: string) =>
  eventOf(title, description, {
    ...headOf(ofKind(`${kind}_`), paymentStatuses, 'Status of the payment.'),
    [kind]: object('EventOperation', 'The capture or void that the event is about.', {
      transaction_id: textOrNull(
        'Identifier of the capture or void; null if the hold ended by itself.',
      ),
      amount: Type.Number({ description: 'What is captured or released, in major units.' }),
      status: word(operationStatuses, 'Status of the capture or void.'),
    }),
    transaction: EventPayment,
  });
const CaptureEvent = operationEvent(
  'CaptureEvent',
  'capture',
  'A capture that you requested has a new status.',
);
const VoidEvent = operationEvent(
  'VoidEvent',
  'void',
  'A void has a new status, or a hold has ended: its message is then authorization_expired.',
);

const DisputeEvent = eventOf(
  'DisputeEvent',
  'A dispute of a payment was opened or has changed. It changes neither the payment nor the order.',
  {
    ...headOf(ofKind('dispute_'), paymentStatuses, 'Status of the payment.'),
    dispute: DisputeReply,
    transaction: EventPayment,
  },
);

const OrderEvent = eventOf('OrderEvent', 'An order has a new status.', {
  ...headOf(ofKind('order_'), ['completed', 'lapsed'], 'Status of the order.'),
  svc_transaction_id: none('The event is about the order.'),
  svc_signature: none('Signed is the transaction only.'),
  transaction: none('The event is about the order.'),
});

const ReviewEvent = eventOf(
  'ReviewEvent',
  'A person should look at the order, or at the transaction if there is one.',
  {
    ...headOf(
      ofKind('review_'),
      [...new Set([...paymentStatuses, ...refundStatuses, ...orderStatuses, 'removed'])],
      'Status of the transaction if there is one, otherwise of the order. removed: it is not in the enquiry any more.',
    ),
    message: text(
      'Names the flag, such as amount_mismatch. status_withdrawn and transaction_removed take back an earlier event.',
    ),
    svc_transaction_id: textOrNull('Identifier of the transaction; null if it is about the order.'),
    transaction: Type.Unsafe({
      anyOf: [EventPayment, EventRefund, { type: 'null' }],
      description: 'The transaction; null if the event is about the order, or it was removed.',
    }),
  },
);

const ofNoOrder = none('A test belongs to no order.');
const TestEvent = object('TestEvent', 'A test of the endpoint. It is not repeated.', {
  ...headOf(['test'], ['test'], 'Always test.'),
  sequence: Type.Unsafe<0>({ type: 'integer', enum: [0], description: 'Always 0.' }),
  svc_order_id: ofNoOrder,
  svc_transaction_id: ofNoOrder,
  svc_signature: ofNoOrder,
  transaction: ofNoOrder,
  order: ofNoOrder,
  user: ofNoOrder,
});

export const eventSchemas: Readonly<Record<SentEventType, TSchema>> = {
  payment_authorized: PaymentEvent,
  payment_success: PaymentEvent,
  payment_failed: PaymentEvent,
  payment_reversed: PaymentEvent,
  refund_pending: RefundEvent,
  refund_success: RefundEvent,
  refund_failed: RefundEvent,
  capture_pending: CaptureEvent,
  capture_success: CaptureEvent,
  capture_failed: CaptureEvent,
  void_pending: VoidEvent,
  void_success: VoidEvent,
  void_failed: VoidEvent,
  dispute_created: DisputeEvent,
  dispute_updated: DisputeEvent,
  dispute_won: DisputeEvent,
  dispute_lost: DisputeEvent,
  dispute_closed: DisputeEvent,
  order_completed: OrderEvent,
  order_lapsed: OrderEvent,
  review_needed: ReviewEvent,
  test: TestEvent,
};
