/** The webhook with which the payment partner reports that 118.00 INR were paid, signed as the partner does. */
import { createHmac } from 'node:crypto';
import type { Request } from './send.ts';

type WebhookTarget = { readonly accountId: string; readonly webhookSecret: string };

/**
 * The ids are made of `name`, so a repeat is one to the service too. `second` sets the time of payments of one order
 * apart.
 */
export function capturedWebhook(
  { accountId, webhookSecret }: WebhookTarget,
  name: string,
  notes: Readonly<Record<string, string>>,
  second = 0,
): Request {
  const body = JSON.stringify(paymentCaptured(name, notes, 1_800_000_000 + second));
  return {
    path: `/api/v3/webhooks/partner/${accountId}`,
    headers: {
      'content-type': 'application/json',
      'x-razorpay-event-id': `evt${name}`,
      'x-razorpay-signature': createHmac('sha256', webhookSecret).update(body).digest('hex'),
    },
    body,
  };
}

function paymentCaptured(
  name: string,
  notes: Readonly<Record<string, string>>,
  created_at: number,
) {
  const entity = {
    id: `pay_${name}`,
    entity: 'payment',
    amount: 11_800,
    currency: 'INR',
    status: 'captured',
    order_id: `order_${name}`,
    method: 'upi',
    captured: true,
    vpa: 'asha@okbank',
    email: 'asha@example.com',
    contact: '+919876543210',
    notes,
    fee: 236,
    tax: 36,
    acquirer_data: { rrn: '012345678901' },
    created_at,
  };
  return {
    entity: 'event',
    account_id: 'acc_bench',
    event: 'payment.captured',
    contains: ['payment'],
    payload: { payment: { entity } },
    created_at: created_at + 5,
  };
}
