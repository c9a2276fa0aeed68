/**
 * The signature that SDKs of shop plugins compute over a transaction of an event or a return, by the names that they read.
 * An independent implementation of contract 5.10 that shares no code with the service.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Reply } from './test-service.ts';

/** An event, or the payload of a return. */
type Sent = Reply['body'];

const decimalsOf: Readonly<Record<string, number>> = { BHD: 3, JOD: 3, KWD: 3, OMR: 3, TND: 3 };
const finalStatuses = ['failed', 'succeeded', 'reversed'];

export function signatureOf({ transaction, order }: Sent, accessSecret: string): string {
  const { transaction_type: type, signature_version: version } = transaction;
  const isPayment = type === 'payment';
  const amount: number = isPayment ? transaction.transaction_amount : transaction.refund_amount;
  const currency: string = isPayment
    ? transaction.transaction_currency
    : order.refund_details.refundable_currency;
  const amountText = amount.toFixed(decimalsOf[currency] ?? 2);
  const parts = [order.invoice_id, transaction.transaction_id, amountText, currency];
  if (version === 'v3')
    parts.push(isPayment ? transaction.status : transaction.refund_status, type);
  return createHmac('sha256', accessSecret).update(parts.join('|')).digest('hex');
}

/** Unsigned are only transactions without an amount, and open ones of v2. An event about an order has none. */
export function assertVerifiable(sent: Sent, accessSecret: string): void {
  const { transaction } = sent;
  if (transaction === null) return;
  const { payment_status, refund_status, transaction_type, transaction_amount } = transaction;
  if (transaction.signature === null) {
    const status = transaction_type === 'payment' ? payment_status : refund_status;
    const isOpen = transaction.signature_version === 'v2' && !finalStatuses.includes(status);
    const hasAmount = transaction_amount !== null && transaction.transaction_currency !== null;
    assert.ok(isOpen || !hasAmount, JSON.stringify(sent));
    return;
  }
  assert.equal(transaction.signature, signatureOf(sent, accessSecret), JSON.stringify(sent));
}
