/** Translates the partner's payment record. */
import type { PaymentNotice, References, Total } from '../../domain/payments/notice.ts';
import { withoutAbsent } from '../../domain/without-absent.ts';
import {
  givenTexts,
  id,
  minorUnits,
  object,
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
  const customerFee = customerFeeOf(payment);
  return withoutAbsent({
    pspTransactionId: text(payment.id) ?? '',
    status: event.status,
    occurredAtMs: event.occurredAtMs ?? startedAtMs,
    statusSinceMs: event.statusSinceMs,
    startedAtMs,
    recordedAtMs: startedAtMs,
    amount: minorUnits(payment.amount),
    currency: text(payment.currency),
    message: text(payment.error_description),
    ...methodFields(payment),
    customerFee,
    // The fee is null until the payment is captured.
    hasUnknownFee: bearsFee(payment) && customerFee === undefined ? true : undefined,
    isRelease: isReleased(payment) ? true : undefined,
    offerId: offerIdOf(payment, event.order),
    providerOrderAmount: hasOffer(payment, event.order)
      ? minorUnits(event.order.amount)
      : undefined,
    refundedTotal: refundedTotalOf(payment, event),
    failure: event.status === 'failed' ? partnerFailure(payment) : undefined,
  }) as PaymentNotice;
}

/** An authorisation that was never captured and that the partner released. Contract 4.8. */
export function isReleased(payment: WireObject): boolean {
  return text(payment.status) === 'refunded' && payment.captured === false;
}

/** A fee that the consumer bears is part of the amount. */
function customerFeeOf(payment: WireObject) {
  return bearsFee(payment) ? minorUnits(payment.fee) : undefined;
}

const bearsFee = (payment: WireObject): boolean => payment.fee_bearer === 'customer';

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

/** Of an event; empty where it does not contain one. */
export type Records = Readonly<Record<'payment' | 'refund' | 'order', WireObject>>;

/** The partner nests a record under `entity`; the flat form is accepted too. Contract 6.11. */
export function readRecord(value: unknown): WireObject {
  const record = object(value);
  return typeof record.entity === 'object' && record.entity !== null
    ? object(record.entity)
    : record;
}

/** Contract 6.4: every field that may name the order. The merchant writes the `notes`. */
export function partnerReferences({ payment, refund, order }: Records): References {
  const notes = [payment.notes, order.notes, refund.notes].filter(Boolean).map(object);
  const fromNotes = (name: string) => notes.map((entry) => entry[name]);
  return withoutAbsent({
    providerOrderId: id(payment.order_id) ?? id(order.id),
    transactionIds: references(...fromNotes('svc_transaction_id')),
    orderIds: references(...fromNotes('svc_order_id'), ...fromNotes('order_id'), order.receipt),
    invoiceIds: references(...fromNotes('invoice_id'), order.receipt),
  }) as References;
}

/** What the method of the payment says: how it is shown, with what the consumer paid, and the reference of the bank. */
function methodFields(payment: WireObject) {
  const card = object(payment.card);
  const upi = object(payment.upi);
  const data = object(payment.acquirer_data);
  const cardType = text(card.type);
  const method = text(payment.method);
  switch (method) {
    case 'card':
    case 'emi': {
      const emiMode = cardType === 'debit' ? 'Debit Card EMI' : 'Credit Card EMI';
      return {
        paymentMode: method === 'emi' ? emiMode : (cardModes.get(cardType ?? '') ?? 'Card'),
        subPaymentMode: givenTexts({
          scheme: text(card.network),
          card_type: cardType,
          issuer: text(card.issuer),
          masked_card: maskedCard(card),
        }),
        paymentArn: text(data.arn) ?? text(data.rrn) ?? text(data.auth_code),
      };
    }
    case 'upi': {
      const vpa = text(upi.vpa) ?? text(payment.vpa);
      return {
        paymentMode: 'UPI',
        subPaymentMode: givenTexts({ upi_id: vpa, upi_flow: text(upi.flow) }),
        paymentArn: text(data.rrn) ?? text(data.upi_transaction_id),
      };
    }
    case 'netbanking':
      return {
        paymentMode: 'Netbanking',
        subPaymentMode: givenTexts({ bank_name: text(payment.bank) }),
        paymentArn: text(data.bank_transaction_id),
      };
    case 'wallet':
      return {
        paymentMode: 'Wallet',
        subPaymentMode: givenTexts({ wallet_name: text(payment.wallet) }),
        paymentArn: text(data.transaction_id),
      };
    case 'paylater':
      return { paymentMode: 'Pay Later' };
    default:
      return {};
  }
}

const cardModes: ReadonlyMap<string, string> = new Map([
  ['credit', 'Credit Card'],
  ['debit', 'Debit Card'],
  ['prepaid', 'Prepaid Card'],
]);

/** Never more digits than these, whatever the fields contain. */
function maskedCard(card: WireObject): string | undefined {
  const last4 = text(card.last4);
  if (last4 === undefined) return undefined;
  const masked = `${(text(card.iin) ?? '').slice(0, 6)}******${last4.slice(-4)}`;
  // Both were cut by UTF-16 units: half a character cannot be stored.
  return masked.toWellFormed();
}
