/** Checks `svc_signature`: that the service made a transaction and that nobody changed it since. */
const { UntrustedDataError } = require('./errors.cjs');
const { fromHex } = require('./hex.cjs');

/**
 * Currencies with more than two decimals. The amounts of all others are signed with two.
 * @type {Record<string, number>}
 */
const decimalsByCurrency = {
  ...{ BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 },
  ...{ CLF: 4, UYW: 4 },
};
const finalStatuses = ['failed', 'succeeded', 'reversed'];

/**
 * Throws for a signature that is wrong or was removed, so that neither a forgotten check of the result nor a check for
 * truth accepts a forgery.
 * @type {typeof import('../client.cjs').verifySignature}
 */
async function verifySignature(transaction, invoiceId, accessSecret, version = 'v3') {
  if ((transaction.svc_signature ?? null) === null) {
    if (mayBeUnsigned(transaction)) return 'unsigned';
    throw invalid('the transaction has a final status and no signature');
  }
  const secrets = typeof accessSecret === 'string' ? [accessSecret] : accessSecret;
  const text = signedText(transaction, invoiceId, version);
  for (const secret of secrets) {
    if (await isSignatureOf(transaction.svc_signature ?? '', text, secret)) return 'valid';
  }
  throw invalid('the signature does not fit the invoice, the transaction and the access secret');
}

/**
 * The service signs once the status is final and the amount is known. A success without a signature is never accepted:
 * somebody may have removed it.
 * @param {import('../client.cjs').Transaction} transaction
 */
function mayBeUnsigned(transaction) {
  const status = statusOf(transaction);
  const isPayment = transaction.transaction_type === 'payment';
  // A refund that also claims the status of a payment is forged.
  if (status === '' || (!isPayment && transaction.payment_status !== null)) return false;
  if (!finalStatuses.includes(status)) return true;
  const { transaction_amount: amount, transaction_currency: currency } = transaction;
  return status !== 'succeeded' && (amount === null || currency === null);
}

/**
 * @param {import('../client.cjs').Transaction} transaction
 * @param {string} invoiceId
 * @param {'v2' | 'v3'} version
 */
function signedText(transaction, invoiceId, version) {
  const { transaction_amount: amount, transaction_currency: currency } = transaction;
  // The reply must not choose its own version, and a currency with a `|` could shift the signed fields.
  if (transaction.signature_version !== version) {
    throw invalid(`the signature is not of the account's version ${version}`);
  }
  if (typeof amount !== 'number' || !/^[A-Z]{3}$/.test(currency ?? '')) {
    throw invalid('the transaction has no amount or currency');
  }
  const decimals = decimalsByCurrency[currency ?? ''] ?? 2;
  const parts = [invoiceId, transaction.svc_transaction_id, amount.toFixed(decimals), currency];
  if (version === 'v3') parts.push(statusOf(transaction), transaction.transaction_type);
  return parts.join('|');
}

/** @param {import('../client.cjs').Transaction} transaction @returns {string} */
function statusOf({ payment_status, refund_status, transaction_type }) {
  // A payment also shows the status of its latest refund.
  return (transaction_type === 'payment' ? payment_status : refund_status) ?? '';
}

/** Web Crypto compares in constant time. @param {string} signature @param {string} text @param {string} secret */
async function isSignatureOf(signature, text, secret) {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'verify',
  ]);
  return crypto.subtle.verify('HMAC', key, fromHex(signature), encoder.encode(text));
}

/** @param {string} reason */
function invalid(reason) {
  return new UntrustedDataError('INVALID_SIGNATURE', `${reason}: do not trust it`);
}

module.exports = { verifySignature };
