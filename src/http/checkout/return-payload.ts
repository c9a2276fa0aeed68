/** The result that a shop gets: in the return of the consumer, or as a message of the frame. Contract 11.10 and 14.8. */
import { failureTable } from '../../domain/payments/failure.ts';
import { isReserved } from '../../domain/payments/hold.ts';
import type { ShopResult } from '../../use-cases/checkout/find-return.ts';
import { enquiryView, sentTransactionView } from '../merchant/enquiry-view.ts';

export type ReturnPayload = ReturnType<typeof returnPayload>;

/**
 * The transaction equals that of the merchant's enquiry, so that the shop can compare the two. It passes the consumer's
 * browser, so disputes are left out. It is null if the consumer leaves before any payment.
 */
export function returnPayload({ status, enquiry }: ShopResult, now: Date) {
  const { order, transaction: elements } = enquiryView(enquiry, { now, masked: false });
  const [element] = elements;
  return {
    svc_order_id: order.svc_order_id,
    svc_transaction_id: element?.svc_transaction_id ?? null,
    invoice_id: order.invoice_id,
    status,
    message: messageOf({ status, enquiry }),
    svc_signature: element?.svc_signature ?? null,
    signature_version: enquiry.signatureVersion,
    order,
    transaction: element ? sentTransactionView({ ...element, disputes: [] }) : null,
  };
}

/** Safe to show to the consumer; the provider's own message is in the transaction. */
function messageOf(result: Pick<ShopResult, 'status' | 'enquiry'>): string {
  const { status } = result;
  switch (status) {
    case 'success':
      return isReservation(result) ? 'payment_authorized' : 'The payment succeeded.';
    case 'failed': {
      const failure = result.enquiry.enquired[0]?.transaction.failure;
      return failure ? failureTable[failure.code].consumerMessage : 'The payment was not made.';
    }
    case 'pending':
      return 'The payment is not confirmed yet.';
    default:
      return status satisfies never;
  }
}

/** The consumer is done, and the shop captures the payment later. Contract 16.2. */
export function isReservation({ status, enquiry }: Pick<ShopResult, 'status' | 'enquiry'>) {
  const payment = enquiry.enquired[0]?.transaction;
  return status === 'success' && payment?.type === 'payment' && isReserved(payment);
}

/** SDKs look for this `event_type` before they read the payload. */
export function resultText(payload: ReturnPayload): string {
  return JSON.stringify({ event_type: 'globalHandleCheckoutResponse', payload });
}
