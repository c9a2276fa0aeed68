/** A delivery in the field names of the dashboard: as a line of the inbox, and with its body beside what it means. */
import type { Delivery } from '../../domain/inbox/delivery.ts';
import type { Translation } from '../../domain/inbox/translation.ts';
import type { PaymentNotice, RefundNotice } from '../../domain/transactions/notice.ts';
import type { DescribedDelivery } from '../../use-cases/maintenance/describe-contents.ts';
import type { DeliveryBody } from '../../use-cases/why/find-delivery-body.ts';
import { amountText } from './amounts.ts';

type Shown = Omit<Delivery, 'headers' | 'body' | 'deliveryKey' | 'expectedMerchant'>;

export function deliveryView(delivery: Shown) {
  return {
    delivery_id: delivery.deliveryId,
    provider: delivery.provider,
    state: delivery.state,
    why: delivery.why,
    flags: delivery.flags,
    order_id: delivery.orderId,
    tries: delivery.tries,
    next_try_at: delivery.nextTryAt?.toISOString() ?? null,
    received_at: delivery.receivedAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}

export function listedDeliveryView({ event, amount, currency, ...delivery }: DescribedDelivery) {
  return { ...deliveryView(delivery), event, ...moneyView(amount, currency) };
}

export function deliveryBodyView({ delivery, event, headers, body, understood }: DeliveryBody) {
  return {
    ...deliveryView(delivery),
    ...{ event, event_id: delivery.eventId, headers, body, body_pruned: body === null },
    understood: understood && understoodView(understood),
  };
}

function understoodView(translation: Translation) {
  switch (translation.kind) {
    case 'notice': {
      const { payment, refund } = translation.notice;
      return {
        kind: translation.kind,
        payment: payment ? paymentView(payment) : null,
        refund: refund ? refundView(refund) : null,
      };
    }
    case 'report':
    case 'ignored':
    case 'unreadable':
      return { kind: translation.kind, why: translation.why };
    default:
      return translation satisfies never;
  }
}

function paymentView({ record, paymentMode, ...notice }: PaymentNotice) {
  return { ...noticeView(notice), record: record ?? null, payment_mode: paymentMode ?? null };
}

function refundView({ record, refundRequestId, ...notice }: RefundNotice) {
  return { ...noticeView(notice), record: record ?? null, refund_request_id: refundRequestId };
}

function noticeView(notice: Omit<PaymentNotice | RefundNotice, 'record'>) {
  const { pspTransactionId, status, amount, currency, occurredAtMs, message, failure } = notice;
  return {
    psp_transaction_id: pspTransactionId,
    status,
    ...moneyView(amount ?? null, currency ?? null),
    occurred_at: occurredAtMs === undefined ? null : new Date(occurredAtMs).toISOString(),
    message: message ?? null,
    failure: failure?.code ?? null,
  };
}

/** An amount without a currency cannot be written. */
function moneyView(amount: number | null, currency: string | null) {
  const isKnown = amount !== null && currency !== null;
  return { amount: isKnown ? amountText(amount, currency) : null, currency };
}
