import { createHmac, timingSafeEqual } from 'node:crypto';

// Currencies with more than two decimals; all others are signed with two.
const decimalsOf = { BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 };
const finalStatuses = ['failed', 'succeeded', 'reversed'];

/** Returns `valid`, or `unsigned` while the service has not signed yet; throws if it cannot be trusted. */
export function verifySignature(transaction, invoiceId, accessSecret, version = 'v3') {
  const { transaction_type: type, transaction_amount: amount, svc_signature } = transaction;
  const currency = transaction.transaction_currency ?? '';
  const status = type === 'payment' ? transaction.payment_status : transaction.refund_status;
  const isClear = Boolean(status) && (type === 'payment' || transaction.payment_status === null);
  if (svc_signature === null && isClear) {
    if (!finalStatuses.includes(status)) return 'unsigned';
    if (status !== 'succeeded' && (amount === null || currency === '')) return 'unsigned';
  }
  if (transaction.signature_version !== version) throw new Error('wrong signature version');
  if (amount === null || !/^[A-Z]{3}$/.test(currency)) throw new Error('invalid signature');
  const parts = [invoiceId, transaction.svc_transaction_id];
  parts.push(amount.toFixed(decimalsOf[currency] ?? 2), currency);
  if (version === 'v3') parts.push(status, type);
  const expected = createHmac('sha256', accessSecret).update(parts.join('|')).digest('hex');
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(svc_signature ?? '')];
  if (ours.length === theirs.length && timingSafeEqual(ours, theirs)) return 'valid';
  throw new Error('invalid signature');
}
