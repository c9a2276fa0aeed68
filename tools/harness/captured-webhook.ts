/** The webhook with which the payment partner reports that an order of 118.00 INR was paid, signed as the partner does. */
import { createHmac } from 'node:crypto';

type WebhookTarget = {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly webhookSecret: string;
};

/** Sends the same bytes and the same event id for an order each time, so a repeat is one to the service too. */
export function sendCapturedWebhook(
  { baseUrl, accountId, webhookSecret }: WebhookTarget,
  orderId: string,
  signal?: AbortSignal,
): Promise<Response> {
  const body = JSON.stringify(paymentCaptured(orderId));
  return fetch(`${baseUrl}/api/v3/webhooks/partner/${accountId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-razorpay-event-id': `evt_${orderId}`,
      'x-razorpay-signature': createHmac('sha256', webhookSecret).update(body).digest('hex'),
    },
    body,
    ...(signal && { signal }),
  });
}

function paymentCaptured(orderId: string) {
  const created_at = 1_800_000_000;
  const entity = {
    id: `pay_${orderId}`,
    entity: 'payment',
    amount: 11_800,
    currency: 'INR',
    status: 'captured',
    order_id: `order_${orderId}`,
    method: 'upi',
    captured: true,
    notes: { svc_order_id: orderId },
    created_at,
  };
  return {
    entity: 'event',
    event: 'payment.captured',
    contains: ['payment'],
    payload: { payment: { entity } },
    created_at: created_at + 5,
  };
}
