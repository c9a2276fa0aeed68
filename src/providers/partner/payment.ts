/** Translates the partner's payment record. */
import type { PaymentNotice, References, Total } from '../../domain/payments/notice.ts';
import {
  id,
  minorUnits,
  object,
  present,
  references,
  text,
  unixSeconds,
  type WireObject,
} from '../wire.ts';
import { partnerFailure } from './failure.ts';

export function toPaymentNotice(
  payment: WireObject,
  event: Pick<PaymentNotice, 'status'> & {
    readonly occurredAtMs: number | undefined;
    readonly statusSinceMs?: number | undefined;
    /** The partner's order; empty if the event does not contain it. */
    readonly order: WireObject;
    /** Set if refunds are what the event is about: the record is as of that time. */
    readonly refundsAtMs?: number | undefined;
  },
): PaymentNotice {
  const startedAtMs = unixSeconds(payment.created_at);
  const isFailed = event.status === 'failed';
  return present({
    pspTransactionId: text(payment.id) ?? '',
    status: event.status,
    occurredAtMs: event.occurredAtMs ?? startedAtMs,
    statusSinceMs: event.statusSinceMs,
    startedAtMs,
    recordedAtMs: startedAtMs,
    amount: minorUnits(payment.amount),
    currency: text(payment.currency),
    message: text(payment.error_description),
    paymentMode: paymentMode(payment),
    subPaymentMode: subPaymentMode(payment),
    paymentArn: paymentArn(payment),
    customerFee: customerFeeOf(payment),
    hasUnknownFee: isFeeUnknown(payment) ? true : undefined,
    isRelease: isReleased(payment) ? true : undefined,
    offerId: offerIdOf(payment, event.order),
    providerOrderAmount: hasOffer(payment, event.order)
      ? minorUnits(event.order.amount)
      : undefined,
    refundedTotal: refundedTotalOf(payment, event),
    failure: isFailed ? partnerFailure(payment) : undefined,
  }) as PaymentNotice;
}

/** An authorisation that was never captured and that the partner released. Contract 4.8. */
export function isReleased(payment: WireObject): boolean {
  return text(payment.status) === 'refunded' && payment.captured === false;
}

/** A fee that the consumer bears is part of the amount. */
function customerFeeOf(payment: WireObject): number | undefined {
  return payment.fee_bearer === 'customer' ? minorUnits(payment.fee) : undefined;
}

/** The fee is null until the payment is captured. */
function isFeeUnknown(payment: WireObject): boolean {
  return payment.fee_bearer === 'customer' && minorUnits(payment.fee) === undefined;
}

/** Contract 4.15. What the partner releases without a capture was never paid, so it is no refund. */
function refundedTotalOf(
  payment: WireObject,
  { refundsAtMs, occurredAtMs }: Parameters<typeof toPaymentNotice>[1],
): Total | undefined {
  const amount = isReleased(payment) ? undefined : minorUnits(payment.amount_refunded);
  // Most payments are never refunded, and each would store that nothing was.
  if (amount === undefined || (amount === 0 && refundsAtMs === undefined)) return undefined;
  return { amount, atMs: refundsAtMs ?? occurredAtMs ?? unixSeconds(payment.created_at) ?? 0 };
}

/** Contract 4.11: the payment names its offer, or it is less than its order, which lists the offers made for it. */
function offerIdOf(payment: WireObject, order: WireObject): string | undefined {
  return id(payment.offer_id) ?? (hasOffer(payment, order) ? listOffers(order)[0] : undefined);
}

function hasOffer(payment: WireObject, order: WireObject): boolean {
  if (id(payment.offer_id) !== undefined) return true;
  const ofOrder = minorUnits(order.amount);
  const ofPayment = minorUnits(payment.amount);
  if (ofOrder === undefined || ofPayment === undefined) return false;
  return listOffers(order).length > 0 && ofPayment - (customerFeeOf(payment) ?? 0) < ofOrder;
}

/** A list of ids, or a collection of records with ids. */
function listOffers(order: WireObject): string[] {
  const listed = Array.isArray(order.offers) ? order.offers : object(order.offers).items;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((offer) => id(offer) ?? id(object(offer).id) ?? []);
}

/** Contract 6.4: every field that may name the order. The merchant writes the `notes`. */
export function partnerReferences({
  payment,
  refund,
  order,
}: {
  readonly payment: WireObject;
  readonly refund: WireObject;
  readonly order: WireObject;
}): References {
  const notes = [payment.notes, order.notes, refund.notes].filter(Boolean).map(object);
  const fromNotes = (name: string) => notes.map((entry) => entry[name]);
  return present({
    providerOrderId: id(payment.order_id) ?? id(order.id),
    transactionIds: references(...fromNotes('svc_transaction_id')),
    orderIds: references(...fromNotes('svc_order_id'), ...fromNotes('order_id'), order.receipt),
    invoiceIds: references(...fromNotes('invoice_id'), order.receipt),
  }) as References;
}

function paymentMode(payment: WireObject): string | undefined {
  const cardType = text(object(payment.card).type);
  switch (text(payment.method)) {
    case 'card':
      return cardModes.get(cardType ?? '') ?? 'Card';
    case 'emi':
      return cardType === 'debit' ? 'Debit Card EMI' : 'Credit Card EMI';
    case 'upi':
      return 'UPI';
    case 'netbanking':
      return 'Netbanking';
    case 'wallet':
      return 'Wallet';
    case 'paylater':
      return 'Pay Later';
    default:
      return undefined;
  }
}

const cardModes: ReadonlyMap<string, string> = new Map([
  ['credit', 'Credit Card'],
  ['debit', 'Debit Card'],
  ['prepaid', 'Prepaid Card'],
]);

function subPaymentMode(payment: WireObject): Record<string, string> | undefined {
  const fields = present(subPaymentFields(payment)) as Record<string, string>;
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function subPaymentFields(payment: WireObject): Record<string, string | undefined> {
  const card = object(payment.card);
  const upi = object(payment.upi);
  switch (text(payment.method)) {
    case 'card':
    case 'emi':
      return {
        scheme: text(card.network),
        card_type: text(card.type),
        issuer: text(card.issuer),
        masked_card: maskedCard(card),
      };
    case 'upi':
      return { upi_id: text(upi.vpa) ?? text(payment.vpa), upi_flow: text(upi.flow) };
    case 'netbanking':
      return { bank_name: text(payment.bank) };
    case 'wallet':
      return { wallet_name: text(payment.wallet) };
    default:
      return {};
  }
}

/** Never more digits than these, whatever the fields contain. */
function maskedCard(card: WireObject): string | undefined {
  const last4 = text(card.last4);
  if (last4 === undefined) return undefined;
  const masked = `${(text(card.iin) ?? '').slice(0, 6)}******${last4.slice(-4)}`;
  // Both were cut by UTF-16 units: half a character cannot be stored.
  return masked.toWellFormed();
}

function paymentArn(payment: WireObject): string | undefined {
  const data = object(payment.acquirer_data);
  switch (text(payment.method)) {
    case 'card':
    case 'emi':
      return text(data.arn) ?? text(data.rrn) ?? text(data.auth_code);
    case 'upi':
      return text(data.rrn) ?? text(data.upi_transaction_id);
    case 'netbanking':
      return text(data.bank_transaction_id);
    case 'wallet':
      return text(data.transaction_id);
    default:
      return undefined;
  }
}
