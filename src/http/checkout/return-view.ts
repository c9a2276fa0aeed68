/** The result of a payment that the consumer's browser carries to the shop. Contract 11.10. */

import type { ReturnStatus } from '../../domain/order-state/payment-return.ts';
import { failureTable } from '../../domain/payments/failure.ts';
import { paymentLimits } from '../../domain/payments/limits.ts';
import type { FoundReturn } from '../../use-cases/checkout/find-return.ts';
import { enquiryView } from '../merchant/enquiry-view.ts';

export type KnownReturn = Extract<FoundReturn, { kind: 'known' }>;
export type WaitingReturn = Extract<FoundReturn, { kind: 'waiting' }>;

/** The transaction equals that of the merchant's enquiry, so that the shop can compare the two. */
export function returnPayload({ status, enquiry }: KnownReturn, now: Date) {
  const { order, transaction: elements } = enquiryView(enquiry, { now, masked: false });
  const [element] = elements;
  if (!element) throw new Error('a return shows one payment');
  const { svc_signature, signature_version } = element;
  return {
    svc_order_id: order.svc_order_id,
    svc_transaction_id: element.svc_transaction_id,
    invoice_id: order.invoice_id,
    status,
    message: messageOf(status, enquiry),
    svc_signature,
    signature_version,
    order,
    transaction: { ...element, signature: svc_signature, status: element.payment_status },
  };
}

type ReturnPayload = ReturnType<typeof returnPayload>;

/** Safe to show to the consumer; the provider's own message is in the transaction. */
function messageOf(status: ReturnStatus, { enquired: [first] }: KnownReturn['enquiry']): string {
  switch (status) {
    case 'success':
      return 'The payment succeeded.';
    case 'failed': {
      const failure = first?.transaction.failure;
      return failure ? failureTable[failure.code].consumerMessage : 'The payment was not made.';
    }
    case 'pending':
      return 'The payment is not confirmed yet.';
    default:
      return status satisfies never;
  }
}

export function encodeReturn(payload: ReturnPayload): string {
  return Buffer.from(JSON.stringify({ payload }), 'utf8').toString('base64');
}

/** The result follows the shop's own query and precedes its fragment. */
export function redirectUrl(callbackUrl: string, payload: ReturnPayload): string {
  const whole = withResponse(callbackUrl, encodeReturn(payload));
  if (whole.length <= paymentLimits.returnUrlCharsMax) return whole;
  // Only custom attributes can be long. A shop's server that refuses a long URL would lose the consumer.
  const { custom_attributes: _omitted, ...order } = payload.order;
  return withResponse(callbackUrl, encodeReturn({ ...payload, order } as ReturnPayload));
}

function withResponse(callbackUrl: string, response: string): string {
  const url = new URL(callbackUrl);
  // A `response` in the shop's own URL would be ambiguous.
  if (url.searchParams.has('response')) url.searchParams.delete('response');
  url.search += `${url.search === '' ? '?' : '&'}response=${encodeURIComponent(response)}`;
  return url.href;
}
