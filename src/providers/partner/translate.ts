/** The partner's webhook body to a notice: the envelope, its events and what each means. */
import type { PaymentStatus, RefundStatus } from '../../domain/notice.ts';
import type { Translation } from '../provider.ts';
import { id, jsonObject, object, text, unixSeconds, type WireObject } from '../wire.ts';
import { partnerReferences, toPaymentNotice } from './payment.ts';
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
  if (name === undefined) return unreadable('the member event is missing');
  const event = events.get(name);
  if (!event) {
    return { kind: 'ignored', why: `the event ${name} is not acted on`, isForeignEvent: true };
  }
  const payload = object(envelope.payload);
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
        status,
        occurredAtMs: eventAtMs,
        statusSinceMs: eventAtMs,
      }),
    },
  };
}

/** A refund event also tells that its payment was captured, should we not have heard of that yet. */
function translateRefund(
  records: Records,
  status: RefundStatus,
  eventAtMs: number | undefined,
): Translation {
  const { payment, refund } = records;
  if (id(refund.id) === undefined) return unreadable('payload.refund has no id');
  const paymentId = id(refund.payment_id) ?? id(payment.id);
  if (paymentId === undefined) return unreadable('the refund names no payment');
  const wasCaptured =
    text(payment.id) === paymentId && ['captured', 'refunded'].includes(text(payment.status) ?? '');
  return {
    kind: 'notice',
    notice: {
      references: partnerReferences(records),
      ...(wasCaptured && {
        payment: toPaymentNotice(payment, {
          status: 'succeeded',
          occurredAtMs: unixSeconds(payment.created_at),
        }),
      }),
      refund: toRefundNotice(refund, paymentId, status, eventAtMs),
    },
  };
}

/** A record sits one level deeper than the contract says; the contract's flat form is taken too. */
function readRecord(value: unknown): WireObject {
  const record = object(value);
  return typeof record.entity === 'object' && record.entity !== null
    ? object(record.entity)
    : record;
}

function unreadable(why: string): Translation {
  return { kind: 'unreadable', why };
}
