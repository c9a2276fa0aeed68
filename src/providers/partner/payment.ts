/** The partner's payment record to ours. */
import type { PaymentNotice, References } from '../../domain/notice.ts';
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
  said: Pick<PaymentNotice, 'status'> & {
    readonly occurredAtMs: number | undefined;
    readonly statusSinceMs?: number | undefined;
  },
): PaymentNotice {
  const startedAtMs = unixSeconds(payment.created_at);
  const isFailed = said.status === 'failed';
  return present({
    pspTransactionId: text(payment.id) ?? '',
    status: said.status,
    occurredAtMs: said.occurredAtMs ?? startedAtMs,
    statusSinceMs: said.statusSinceMs,
    startedAtMs,
    recordedAtMs: startedAtMs,
    amount: minorUnits(payment.amount),
    currency: text(payment.currency),
    message: text(payment.error_description),
    paymentMode: paymentMode(payment),
    subPaymentMode: subPaymentMode(payment),
    paymentArn: paymentArn(payment),
    customerFee: payment.fee_bearer === 'customer' ? minorUnits(payment.fee) : undefined,
    failure: isFailed ? partnerFailure(payment) : undefined,
  }) as PaymentNotice;
}

/** Decision 6.4: everything that may name the order. Members of `notes` are the merchant's. */
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
  const members = present(subPaymentMembers(payment)) as Record<string, string>;
  return Object.keys(members).length === 0 ? undefined : members;
}

function subPaymentMembers(payment: WireObject): Record<string, string | undefined> {
  const card = object(payment.card);
  const upi = object(payment.upi);
  const last4 = text(card.last4);
  switch (text(payment.method)) {
    case 'card':
    case 'emi':
      return {
        scheme: text(card.network),
        card_type: text(card.type),
        issuer: text(card.issuer),
        masked_card: last4 && `${text(card.iin) ?? ''}******${last4}`,
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
