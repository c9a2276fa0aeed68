/** The partner's records as they appear in its replies and webhooks. */
import { digitsOf, idOf, pick, randomOf } from '../random.ts';
import type { Wire } from '../wire.ts';
import { failureFields } from './failures.ts';
import type { PartnerDispute, PartnerOrder, PartnerPayment, PartnerRefund } from './state.ts';

/** A fee of 2 %, and the tax on it. */
const feeShare = 0.0236;
const taxShare = 0.0036;

export function orderRecord(order: PartnerOrder): Wire {
  const { id, amount, currency, receipt, attempts, isPaid, offerId, createdAt } = order;
  return {
    id,
    entity: 'order',
    amount,
    amount_paid: isPaid ? amount : 0,
    amount_due: isPaid ? 0 : amount,
    currency,
    receipt,
    offer_id: null,
    ...(offerId && { offers: [offerId] }),
    status: isPaid ? 'paid' : attempts > 0 ? 'attempted' : 'created',
    attempts,
    notes: notesRecord(order.notes),
    created_at: createdAt,
  };
}

export function paymentRecord(payment: PartnerPayment): Wire {
  const { id, orderId, amount, currency, amountRefunded, offerId, createdAt } = payment;
  const isCaptured = payment.status === 'captured';
  const isFeeOnTop = payment.fee > 0;
  return {
    id,
    entity: 'payment',
    amount,
    currency,
    base_amount: amount,
    // A released payment is `refunded` too; only `captured` says that no money was taken.
    status: amountRefunded === amount ? 'refunded' : payment.status,
    order_id: orderId,
    invoice_id: null,
    international: false,
    amount_refunded: amountRefunded,
    refund_status: amountRefunded === 0 ? null : amountRefunded === amount ? 'full' : 'partial',
    captured: isCaptured,
    description: payment.intent?.description ?? null,
    ...(offerId && { offer_id: offerId }),
    ...methodFields(payment),
    email: payment.intent?.email ?? 'consumer@example.com',
    contact: payment.intent?.contact ?? '+919000090000',
    notes: notesRecord(payment.notes),
    fee: isCaptured ? (isFeeOnTop ? payment.fee : feeOf(amount)) : null,
    tax: isCaptured ? Math.round(amount * taxShare) : null,
    fee_bearer: isFeeOnTop ? 'customer' : 'platform',
    ...failureFields(payment.status === 'failed' ? payment.failureReason : null),
    created_at: createdAt,
  };
}

export function feeOf(amount: number): number {
  return Math.round(amount * feeShare);
}

export function refundRecord(refund: PartnerRefund): Wire {
  const { id, paymentId, amount, currency, receipt, status, speed, createdAt } = refund;
  const isProcessed = status === 'processed';
  return {
    id,
    entity: 'refund',
    amount,
    currency,
    payment_id: paymentId,
    receipt,
    notes: notesRecord(refund.notes),
    acquirer_data: { arn: isProcessed ? digitsOf(0, `arn:${id}`, 23) : null },
    status,
    speed_requested: speed,
    speed_processed: 'normal',
    batch_id: null,
    created_at: createdAt,
  };
}

export function disputeRecord(dispute: PartnerDispute): Wire {
  const { id, paymentId, amount, currency, status, phase, createdAt, respondBy } = dispute;
  // The description is absent from some of them.
  const hasReason = pick(randomOf(0, `reason:${id}`), [true, false]);
  return {
    id,
    entity: 'dispute',
    payment_id: paymentId,
    amount,
    currency,
    amount_deducted: status === 'lost' ? amount : 0,
    gateway_dispute_id: null,
    reason_code: 'goods_or_services_not_received_or_partially_received',
    ...(hasReason && { reason_description: 'The goods were not received, or only in part.' }),
    respond_by: respondBy,
    status,
    phase,
    created_at: createdAt,
    evidence: { amount, summary: null, submitted_at: null },
  };
}

export function collection(items: readonly Wire[]): Wire {
  return { entity: 'collection', count: items.length, items };
}

/** The partner sends empty notes as an empty list, not as an empty object. */
function notesRecord(notes: Wire): Wire | [] {
  return Object.keys(notes).length === 0 ? [] : notes;
}

function methodFields({ id, method, status, intent, bank }: PartnerPayment): Wire {
  // The bank's reference numbers exist only after its approval.
  const isApproved = status !== 'failed' && status !== 'created';
  const given = (label: string, length: number) =>
    isApproved ? digitsOf(0, `${label}:${id}`, length) : null;
  const none = { method, card_id: null, bank: null, wallet: null, vpa: null };
  switch (method) {
    case 'card':
    case 'emi': {
      const card = cardRecord(id, bank);
      const acquirer = {
        auth_code: given('auth', 6),
        arn: given('arn', 23),
        rrn: given('rrn', 12),
      };
      return { ...none, card_id: card.id, card, acquirer_data: acquirer };
    }
    case 'netbanking':
      return {
        ...none,
        bank: bank ?? 'HDFC',
        acquirer_data: { bank_transaction_id: given('bank', 10) },
      };
    case 'wallet':
      return { ...none, wallet: 'payzapp', acquirer_data: { transaction_id: given('wallet', 12) } };
    case 'upi': {
      const vpa = status === 'created' ? null : 'consumer@okbank';
      const flow = intent ? 'intent' : 'collect';
      const upi = { vpa, flow, payer_account_type: 'bank_account' };
      const acquirer = { rrn: given('rrn', 12), upi_transaction_id: given('upi', 20) };
      return { ...none, vpa, upi, acquirer_data: acquirer };
    }
    default:
      return { ...none, acquirer_data: {} };
  }
}

/** Only a debit card belongs to a bank account. */
function cardRecord(paymentId: string, bank: string | undefined) {
  return {
    id: `card_${idOf(0, `card:${paymentId}`, 14)}`,
    entity: 'card',
    name: 'A Consumer',
    last4: '1111',
    network: 'Visa',
    type: bank ? 'debit' : pick(randomOf(0, `type:${paymentId}`), ['credit', 'debit']),
    issuer: bank ?? 'HDFC',
    international: false,
    emi: false,
    sub_type: 'consumer',
  };
}
