/** The bodies of the events of a change, as they are sent to the shop. Contract 12.4. */
import { type Account, accessSecretOf } from '../../domain/accounts/account.ts';
import type { EventType } from '../../domain/event-type.ts';
import { eventStatusOf } from '../../domain/events/event-status.ts';
import { eventIdOf } from '../../domain/ids.ts';
import { displayExponent } from '../../domain/money/currency.ts';
import { majorNumber } from '../../domain/money/money.ts';
import { orderStatus } from '../../domain/orders/order.ts';
import { failureTable } from '../../domain/payments/failure.ts';
import { sealPayload } from '../../security/sealed-payload.ts';
import type { ChangeToRender, EventToRender, RenderedEvent } from '../../services/announcer.ts';
import type { EnquiredTransaction } from '../../services/enquiry.ts';
import {
  disputeView,
  enquiryView,
  refundDetailsView,
  sentTransactionView,
} from './enquiry-view.ts';
import { amountsView, userView } from './order-view.ts';

/** Shown to nobody but the shop, so nothing is masked. */
export function renderChange(change: ChangeToRender): (event: EventToRender) => RenderedEvent {
  const { account, enquiry, occurredAt } = change;
  const { order, transaction: elements } = enquiryView(enquiry, { now: occurredAt, masked: false });
  const { amounts, details, userId } = enquiry.order;
  const user = details.user && userId ? userView(details.user, userId, false) : null;
  const shownOrder = { ...order, currency: amounts.currency, ...amountsView(amounts) };
  const orderText = JSON.stringify(shownOrder);
  const wordOfOrder = orderStatus(enquiry.order, occurredAt);
  const isOrderCompleted = wordOfOrder === 'completed';
  // A refund is verified with the currency of `refund_details`, so they are in its own. Contract 5.10.
  const orderTextOf = (enquired: EnquiredTransaction | undefined) => {
    const { type, currency = null } = enquired?.transaction ?? {};
    if (type !== 'refund' || currency === null || currency === amounts.currency) return orderText;
    return JSON.stringify({ ...shownOrder, refund_details: refundDetailsView(enquiry, currency) });
  };
  const userText = JSON.stringify(user);
  const occurredText = occurredAt.toISOString();
  const indexes = new Map(
    enquiry.enquired.map(({ transaction }, index) => [transaction.transactionId, index]),
  );
  return (event) => {
    const index = indexes.get(event.transactionId ?? '') ?? -1;
    const [enquired, element] = [enquiry.enquired[index], elements[index]];
    // The word of the enquiry. A removed transaction is not in the enquiry any more.
    const status =
      event.transactionId === null ? wordOfOrder : (enquired?.transaction.status ?? 'removed');
    const isPayment = enquired?.transaction.type === 'payment';
    const head = JSON.stringify({
      version: 'v3',
      event_id: eventIdOf(event.key),
      event_type: event.type,
      sequence: event.key.sequence,
      occurred_at: occurredText,
      status,
      event_status: eventStatusOf(status, { isPayment, isOrderCompleted }),
      message: messageOf(event, enquired),
      svc_order_id: order.svc_order_id,
      svc_transaction_id: event.transactionId,
      svc_signature: element?.svc_signature ?? null,
      is_webhook: true,
    });
    const transactionText = element ? JSON.stringify(sentTransactionView(element)) : 'null';
    const disputeText = event.dispute
      ? `"dispute":${JSON.stringify(disputeView(event.dispute, event.transactionId ?? ''))},`
      : '';
    const operationText = event.operation
      ? `"${event.operation.kind}":${JSON.stringify(operationView(event.operation, enquired))},`
      : '';
    const text = `${head.slice(0, -1)},${operationText}${disputeText}"transaction":${transactionText},"order":${orderTextOf(enquired)},"user":${userText}}`;
    return { status, body: sealIfWanted(text, account, occurredAt) };
  };
}

function sealIfWanted(text: string, account: Account, now: Date): string {
  if (!account.encryptedPayloads) return text;
  const secret = accessSecretOf(account, now);
  return JSON.stringify({
    encrypted_response: sealPayload(text, secret),
    sub_merchant_id: account.accountId,
  });
}

const messages: Readonly<Record<Exclude<EventType, 'payment_failed' | 'review_needed'>, string>> = {
  payment_authorized: 'The payment is authorised and not captured yet.',
  payment_success: 'The payment succeeded.',
  payment_reversed: 'The payment was released without taking money.',
  refund_pending: 'The refund is on its way.',
  refund_success: 'The refund succeeded.',
  refund_failed: 'The refund failed.',
  capture_pending: 'The capture is on its way.',
  capture_success: 'The payment was captured.',
  capture_failed: 'The payment was not captured.',
  void_pending: 'The void is on its way.',
  void_success: 'What was reserved is released.',
  void_failed: 'The payment was not voided.',
  dispute_created: 'The payment is disputed.',
  dispute_updated: 'The dispute of the payment has changed.',
  dispute_won: 'The dispute of the payment was won.',
  dispute_lost: 'The dispute of the payment was lost.',
  dispute_closed: 'The dispute of the payment was closed.',
  order_completed: 'The order is paid.',
  order_lapsed: 'The order lapsed without a payment.',
};

/** The capture or void by its own id; null for the end of a hold, which nobody requested. Contract 16.7. */
function operationView(
  { operationId, amount, status }: NonNullable<EventToRender['operation']>,
  enquired: EnquiredTransaction | undefined,
) {
  const exponent = displayExponent(enquired?.transaction.currency ?? '');
  return { transaction_id: operationId, amount: majorNumber(amount, exponent), status };
}

/** Safe to show to the consumer, apart from the reason of a review. */
function messageOf(
  { type, reason, operation }: EventToRender,
  enquired: EnquiredTransaction | undefined,
) {
  if (operation?.end) return operation.end;
  if (type === 'review_needed') return reason ?? type;
  if (type !== 'payment_failed') return messages[type];
  const failure = enquired?.transaction.failure;
  return failure ? failureTable[failure.code].consumerMessage : 'The payment was not made.';
}
