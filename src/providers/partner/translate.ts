/** Translates the partner's webhook body to a notice: the envelope, its events and what each means. */
import { type Translation, unreadable } from '../../domain/inbox/translation.ts';
import { failureReason } from '../../domain/payments/failure.ts';
import type { PaymentStatus, RefundNotice, RefundStatus } from '../../domain/payments/notice.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import { id, jsonObject, minorUnits, object, text, unixSeconds, type WireObject } from '../wire.ts';
import { disputeEvents, translateDispute } from './dispute.ts';
import {
  isReleased,
  partnerReferences,
  type Records,
  readRecord,
  toPaymentNotice,
} from './payment.ts';
import { displayName } from './settings.ts';

type Event =
  | { readonly about: 'payment'; readonly status: PaymentStatus }
  | { readonly about: 'refund'; readonly status: RefundStatus };

/** The events that are acted on; every other event is stored and ignored. */
const events: ReadonlyMap<string, Event> = new Map([
  ['payment.authorized', { about: 'payment', status: 'authorized' }],
  ['payment.captured', { about: 'payment', status: 'succeeded' }],
  ['order.paid', { about: 'payment', status: 'succeeded' }],
  ['payment.failed', { about: 'payment', status: 'failed' }],
  ['refund.created', { about: 'refund', status: 'pending' }],
  ['refund.processed', { about: 'refund', status: 'succeeded' }],
  ['refund.failed', { about: 'refund', status: 'failed' }],
]);

export function translatePartner(body: Buffer): Translation {
  const envelope = jsonObject(body);
  if (!envelope) return unreadable('the body is not a JSON object');
  const name = text(envelope.event);
  if (name === undefined) return unreadable('the field event is missing');
  const payload = object(envelope.payload);
  if (name.startsWith(disputeEvents)) return translateDispute(name, envelope, payload);
  const event = events.get(name);
  if (!event) return ignore(name);
  const records = {
    payment: readRecord(payload.payment),
    refund: readRecord(payload.refund),
    order: readRecord(payload.order),
  };
  const eventAtMs = unixSeconds(envelope.created_at);
  if (event.about === 'refund') return translateRefund(records, event.status, eventAtMs);
  if (id(records.payment.id) === undefined) return unreadable('payload.payment has no id');
  return {
    kind: 'notice',
    notice: {
      references: partnerReferences(records),
      payment: toPaymentNotice(records.payment, {
        status: statusOf(records.payment, event.status),
        occurredAtMs: eventAtMs,
        statusSinceMs: eventAtMs,
        order: records.order,
        refundsAtMs: unixSeconds(envelope.read_at),
      }),
    },
  };
}

/**
 * Contract 4.8: a payment is captured only if its record says so. A record that is refunded but was never captured is
 * an authorisation that the partner released.
 */
function statusOf(payment: WireObject, eventStatus: PaymentStatus): PaymentStatus {
  if (isReleased(payment)) return 'reversed';
  if (eventStatus !== 'succeeded' || payment.captured !== false) return eventStatus;
  return uncapturedStatuses.get(text(payment.status) ?? '') ?? eventStatus;
}

const uncapturedStatuses: ReadonlyMap<string, PaymentStatus> = new Map<string, PaymentStatus>([
  ['created', 'pending'],
  ['pending', 'pending'],
  ['authorized', 'authorized'],
  ['failed', 'failed'],
]);

/**
 * A refund event also reports the state of its payment, in case earlier events are missing. The partner reports the
 * release of an authorisation as a refund too, although it is not one.
 */
function translateRefund(
  records: Records,
  status: RefundStatus,
  eventAtMs: number | undefined,
): Translation {
  const { payment, refund } = records;
  if (id(refund.id) === undefined) return unreadable('payload.refund has no id');
  const paymentId = id(refund.payment_id) ?? id(payment.id);
  if (paymentId === undefined) return unreadable('the refund names no payment');
  const includesPayment = text(payment.id) === paymentId;
  const hasBeenReleased = includesPayment && isReleased(payment);
  const wasCaptured =
    includesPayment && ['captured', 'refunded'].includes(text(payment.status) ?? '');
  return {
    kind: 'notice',
    notice: {
      references: partnerReferences(records),
      ...(wasCaptured && {
        payment: toPaymentNotice(payment, {
          status: statusOf(payment, 'succeeded'),
          occurredAtMs: hasBeenReleased ? eventAtMs : unixSeconds(payment.created_at),
          statusSinceMs: hasBeenReleased ? eventAtMs : undefined,
          order: records.order,
          refundsAtMs: eventAtMs ?? unixSeconds(refund.created_at),
        }),
      }),
      refund: toRefundNotice(refund, paymentId, status, eventAtMs),
    },
  };
}

function toRefundNotice(
  refund: WireObject,
  paymentId: string,
  eventStatus: RefundStatus,
  eventAtMs: number | undefined,
): RefundNotice {
  const status = eventStatus === 'pending' ? recordStatus(refund) : eventStatus;
  const startedAtMs = unixSeconds(refund.created_at);
  const data = object(refund.acquirer_data);
  const refundId = text(refund.id) ?? '';
  return withoutAbsent({
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
  const status = text(refund.status);
  if (status === 'processed') return 'succeeded';
  return status === 'failed' ? 'failed' : 'pending';
}

function ignore(name: string) {
  const why = `the event ${name} is not acted on`;
  return { kind: 'ignored', why, isForeignEvent: true } as const;
}
