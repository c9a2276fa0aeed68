/** The partner's webhook body to a notice: the envelope, its events and what each means. */
import type { PaymentStatus, RefundStatus } from '../../domain/transactions/notice.ts';
import type { Translation } from '../provider.ts';
import { id, jsonObject, object, text, unixSeconds, type WireObject } from '../wire.ts';
import { isReleased, partnerReferences, toPaymentNotice } from './payment.ts';
import { toRefundNotice } from './refund.ts';

type Event =
  | { readonly about: 'payment'; readonly status: PaymentStatus }
  | { readonly about: 'refund'; readonly status: RefundStatus };

/** The events that are acted on; every other one is kept and ignored. */
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
  const event = events.get(name);
  const payload = object(envelope.payload);
  if (name.startsWith('payment.dispute.')) return translateDispute(name, payload);
  if (!event) return ignore(name);
  const records = {
    payment: readRecord(payload.payment),
    refund: readRecord(payload.refund),
    order: readRecord(payload.order),
  };
  const eventAtMs = unixSeconds(envelope.created_at);
  return event.about === 'payment'
    ? translatePayment(records, event.status, eventAtMs)
    : translateRefund(records, event.status, eventAtMs);
}

type Records = {
  readonly payment: WireObject;
  readonly refund: WireObject;
  readonly order: WireObject;
};

function translatePayment(
  records: Records,
  status: PaymentStatus,
  eventAtMs: number | undefined,
): Translation {
  const { payment } = records;
  if (id(payment.id) === undefined) return unreadable('payload.payment has no id');
  return {
    kind: 'notice',
    notice: {
      references: partnerReferences(records),
      payment: toPaymentNotice(payment, {
        status: conditionOf(payment, status),
        occurredAtMs: eventAtMs,
        statusSinceMs: eventAtMs,
        order: records.order,
      }),
    },
  };
}

/**
 * Contract 4.8: a payment is captured only when its record says so. One that is refunded and was never
 * captured is an authorisation that the partner gave back by itself.
 */
function conditionOf(payment: WireObject, said: PaymentStatus): PaymentStatus {
  if (isReleased(payment)) return 'reversed';
  if (said !== 'succeeded' || payment.captured !== false) return said;
  return uncapturedStatuses.get(text(payment.status) ?? '') ?? said;
}

const uncapturedStatuses: ReadonlyMap<string, PaymentStatus> = new Map<string, PaymentStatus>([
  ['created', 'pending'],
  ['pending', 'pending'],
  ['authorized', 'authorized'],
  ['failed', 'failed'],
]);

/**
 * A refund event also tells what became of its payment, should we not have heard of that yet. The release
 * of an authorisation is reported as a refund too, and is none.
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
  const isTold = text(payment.id) === paymentId;
  const hasBeenReleased = isTold && isReleased(payment);
  const wasCaptured = isTold && ['captured', 'refunded'].includes(text(payment.status) ?? '');
  return {
    kind: 'notice',
    notice: {
      references: partnerReferences(records),
      ...(wasCaptured && {
        payment: toPaymentNotice(payment, {
          status: conditionOf(payment, 'succeeded'),
          occurredAtMs: hasBeenReleased ? eventAtMs : unixSeconds(payment.created_at),
          statusSinceMs: hasBeenReleased ? eventAtMs : undefined,
          order: records.order,
        }),
      }),
      refund: toRefundNotice(refund, paymentId, status, eventAtMs),
    },
  };
}

/** Contract 6.9: those that cost money or wait for an answer are for a person; the others are only noted. */
const disputesToReview: ReadonlySet<string> = new Set([
  'payment.dispute.created',
  'payment.dispute.action_required',
  'payment.dispute.lost',
]);

function translateDispute(name: string, payload: WireObject): Translation {
  const isToReview = disputesToReview.has(name);
  const payment = readRecord(payload.payment);
  const pspTransactionId = id(payment.id) ?? id(readRecord(payload.dispute).payment_id);
  if (pspTransactionId === undefined) {
    return isToReview ? unreadable('the dispute names no payment') : ignore(name);
  }
  const references = partnerReferences({ payment, refund: {}, order: readRecord(payload.order) });
  const names = { references, payment: { pspTransactionId } };
  if (!isToReview) return { ...ignore(name), kind: 'report', state: 'ignored', names, flags: [] };
  const why = `the payment partner reports a dispute: ${name}`;
  return { kind: 'report', state: 'needs_review', names, why, flags: ['dispute'] };
}

function ignore(name: string) {
  const why = `the event ${name} is not acted on`;
  return { kind: 'ignored', why, isForeignEvent: true } as const;
}

/** A record is directly under its name, or one level deeper under `entity`. Contract 6.11. */
function readRecord(value: unknown): WireObject {
  const record = object(value);
  return typeof record.entity === 'object' && record.entity !== null
    ? object(record.entity)
    : record;
}

function unreadable(why: string): Translation {
  return { kind: 'unreadable', why };
}
