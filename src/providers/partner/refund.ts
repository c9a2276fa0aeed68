/** Translates the partner's refund record. */

import { failureReason } from '../../domain/payments/failure.ts';
import type { RefundNotice, RefundStatus } from '../../domain/payments/notice.ts';
import { minorUnits, object, present, text, unixSeconds, type WireObject } from '../wire.ts';
import { displayName } from './display-name.ts';

export function toRefundNotice(
  refund: WireObject,
  paymentId: string,
  eventStatus: RefundStatus,
  eventAtMs: number | undefined,
): RefundNotice {
  const status = eventStatus === 'pending' ? recordStatus(refund) : eventStatus;
  const startedAtMs = unixSeconds(refund.created_at);
  const data = object(refund.acquirer_data);
  const refundId = text(refund.id) ?? '';
  return present({
    pspTransactionId: refundId,
    status,
    occurredAtMs: eventAtMs ?? startedAtMs,
    statusSinceMs: eventAtMs,
    startedAtMs,
    recordedAtMs: startedAtMs,
    amount: minorUnits(refund.amount),
    currency: text(refund.currency),
    refundRequestId:
      text(refund.receipt) ?? text(object(refund.notes).refund_request_id) ?? refundId,
    refundArn: text(data.arn) ?? text(data.rrn) ?? text(data.utr),
    paymentPspId: paymentId,
    // The partner gives no reason, not even on refund.failed.
    failure:
      status === 'failed'
        ? failureReason('REFUND_FAILED', `${displayName} reports that the refund failed.`)
        : undefined,
  }) as RefundNotice;
}

/** `refund.created` means pending, unless the record has a final status. */
function recordStatus(refund: WireObject): RefundStatus {
  switch (text(refund.status)) {
    case 'processed':
      return 'succeeded';
    case 'failed':
      return 'failed';
    default:
      return 'pending';
  }
}
