/** What calls to the partner have in common: credentials, our ids in the notes, and records in the envelope of a webhook. */
import type { ProviderApi, ProviderRequest } from '../call.ts';
import { outcomeOf, type PaymentToLaunch } from '../outbound.ts';
import { id, minorUnits, object, text, type WireObject } from '../wire.ts';

/** The partner's words for the payment modes. */
export const methods: Readonly<Record<PaymentToLaunch['modeCode'], string>> = {
  upi: 'upi',
  net_banking: 'netbanking',
  wallet: 'wallet',
  credit_card: 'card',
  debit_card: 'card',
  prepaid_card: 'card',
};

export function callPartner(api: ProviderApi, request: Omit<ProviderRequest, 'user'>) {
  return api.callProvider(api, { ...request, user: api.login });
}

/** Every webhook of the payment contains them. */
export function notesOf({ transactionId, orderId, invoiceId }: PaymentToLaunch) {
  return { svc_transaction_id: transactionId, svc_order_id: orderId, invoice_id: invoiceId };
}

/** `read` returns undefined for an answer that is not usable. */
export async function readPartner<Done extends object>(
  api: ProviderApi,
  path: string,
  read: (body: WireObject) => Done | undefined,
  answerMsMax?: number,
) {
  const request = { method: 'GET', path, isRepeatable: true } as const;
  const limited = answerMsMax === undefined ? request : { ...request, answerMsMax };
  return outcomeOf(await callPartner(api, limited), read);
}

/** Undefined if the answer is not a list: then it does not even say that there are no items. */
export function findItems(body: WireObject): WireObject[] | undefined {
  return Array.isArray(body.items) ? body.items.map(object) : undefined;
}

const eventsByStatus: ReadonlyMap<string, string> = new Map([
  ['authorized', 'payment.authorized'],
  ['captured', 'payment.captured'],
  ['refunded', 'payment.captured'],
  ['failed', 'payment.failed'],
]);

/** Equal answers are one delivery, so the time of a read is left out unless there are refunds, which are as of then. */
export function polledPaymentEvent(payment: WireObject, readAt: Date): Buffer[] {
  const hasRefunds = (minorUnits(payment.amount_refunded) ?? 0) > 0;
  return paymentEvent(payment, hasRefunds ? readAt : undefined);
}

export function paymentEvent(payment: WireObject, readAt?: Date): Buffer[] {
  const event = eventsByStatus.get(text(payment.status) ?? '');
  if (event === undefined || id(payment.id) === undefined) return [];
  return [envelope(event, { payment: { entity: payment } }, readAt)];
}

export function refundEvent(refund: WireObject): Buffer {
  return envelope('refund.created', { refund: { entity: refund } });
}

/** The event is named after what was read. That makes no difference: what counts is the status in the record. */
export function disputeEvent(dispute: WireObject, readAt: Date): Buffer[] {
  const status = text(dispute.status);
  if (status === undefined || id(dispute.id) === undefined) return [];
  return [envelope(`payment.dispute.${status}`, { dispute: { entity: dispute } }, readAt)];
}

/** `read_at` is ours: totals in the record are as of then. */
function envelope(event: string, payload: object, readAt?: Date): Buffer {
  const read = readAt && { read_at: Math.floor(readAt.getTime() / 1_000) };
  return Buffer.from(JSON.stringify({ entity: 'event', event, payload, ...read }), 'utf8');
}
