/** The body of an event for a shop, as it is sent. Contract 12.4. */
import { liveSecrets } from '../../domain/accounts/account.ts';
import type { EventType } from '../../domain/event-type.ts';
import { eventIdOf } from '../../domain/ids.ts';
import { orderStatus } from '../../domain/orders/order.ts';
import { failureTable } from '../../domain/transactions/failure.ts';
import { sealPayload } from '../../security/sealed-payload.ts';
import type { EventToRender, RenderedEvent } from '../../services/announcer.ts';
import { enquiryView } from './enquiry-view.ts';
import { amountsView, userView } from './order-view.ts';

/** Shown to nobody but the shop, so nothing is masked. */
export function renderEvent(event: EventToRender): RenderedEvent {
  const { account, name, type, transactionId, enquiry, occurredAt } = event;
  const { order, transaction: elements } = enquiryView(enquiry, { now: occurredAt, masked: false });
  const [element = null] = elements;
  const { amounts, details, userId } = enquiry.order;
  const status = statusOf(event);
  const payload = {
    version: 'v3',
    event_id: eventIdOf(name),
    event_type: type,
    sequence: name.sequence,
    occurred_at: occurredAt.toISOString(),
    status,
    message: messageOf(event),
    svc_order_id: order.svc_order_id,
    svc_transaction_id: transactionId,
    is_webhook: true,
    transaction: element && { ...element, signature: element.svc_signature, status },
    order: { ...order, currency: amounts.currency, ...amountsView(amounts) },
    user: details.user && userId ? userView(details.user, userId, false) : null,
  };
  const text = JSON.stringify(payload);
  if (!account.encryptedPayloads) return { status, body: Buffer.from(text) };
  const [secret = ''] = liveSecrets(account, 'access-secret', occurredAt);
  const sealed = { encrypted_response: sealPayload(text, secret), sub_merchant_id: name.accountId };
  return { status, body: Buffer.from(JSON.stringify(sealed)) };
}

/** The word of the enquiry. A removed transaction is not in the enquiry any more. */
function statusOf({ transactionId, enquiry, occurredAt }: EventToRender): string {
  if (transactionId === null) return orderStatus(enquiry.order, occurredAt);
  return enquiry.shown[0]?.transaction.status ?? 'removed';
}

const messages: Readonly<Record<Exclude<EventType, 'payment_failed' | 'review_needed'>, string>> = {
  payment_authorized: 'The payment is authorised and not captured yet.',
  payment_success: 'The payment succeeded.',
  payment_reversed: 'The payment was released without taking money.',
  refund_pending: 'The refund is on its way.',
  refund_success: 'The refund succeeded.',
  refund_failed: 'The refund failed.',
  order_completed: 'The order is paid.',
  order_lapsed: 'The order lapsed without a payment.',
};

/** Safe to show to the consumer, apart from the reason of a review. */
function messageOf({ type, reason, enquiry }: EventToRender): string {
  if (type === 'review_needed') return reason ?? type;
  if (type !== 'payment_failed') return messages[type];
  const failure = enquiry.shown[0]?.transaction.failure;
  return failure ? failureTable[failure.code].consumerMessage : 'The payment was not made.';
}
