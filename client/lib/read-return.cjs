/** Reads the result that a consumer brings back to `callback_url`, and refuses one that the service did not make. */
const { UntrustedDataError } = require('./errors.cjs');
const { parseJson } = require('./send.cjs');
const { verifySignature } = require('./verify-signature.cjs');

/**
 * The signature covers the transaction only, so the other fields must agree with the transaction.
 * @type {typeof import('../client.cjs').readReturn}
 */
async function readReturn({ response, accessSecret, signatureVersion = 'v3' }) {
  const payload = parseReturn(response);
  const { transaction, invoice_id } = payload;
  const outcome = await verifySignature(transaction, invoice_id, accessSecret, signatureVersion);
  if (outcome === 'unsigned') {
    const message = 'the returned result is not signed: use transactionEnquiry instead';
    throw new UntrustedDataError('UNSIGNED_RESULT', message);
  }
  if (!agrees(payload)) {
    const message = 'the returned result contradicts its signature: do not trust it';
    throw new UntrustedDataError('INVALID_RESULT', message);
  }
  return payload;
}

/** @param {string | null | undefined} response @returns {import('../client.cjs').ReturnedPayment} */
function parseReturn(response) {
  const payload = parseJson(decode(response ?? ''))?.payload;
  if (!payload?.transaction?.svc_transaction_id || !payload.order) {
    const message = 'the field response is not a result of the service: use transactionEnquiry';
    throw new UntrustedDataError('INVALID_RESULT', message);
  }
  return payload;
}

/** An empty text if it is no base64. @param {string} response */
function decode(response) {
  try {
    // Base64 has no percent sign, so the text is still URL-encoded.
    const text = response.includes('%') ? decodeURIComponent(response) : response;
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

/** @param {import('../client.cjs').ReturnedPayment} payload */
function agrees(payload) {
  const { transaction, order } = payload;
  return (
    payload.svc_transaction_id === transaction.svc_transaction_id &&
    payload.svc_signature === transaction.svc_signature &&
    payload.signature_version === transaction.signature_version &&
    transaction.transaction_type === 'payment' &&
    transaction.signature === transaction.svc_signature &&
    transaction.status === transaction.payment_status &&
    transaction.svc_transaction_id.startsWith(`${payload.svc_order_id}-`) &&
    order.svc_order_id === payload.svc_order_id &&
    order.invoice_id === payload.invoice_id &&
    statusesOf(transaction.payment_status).includes(payload.status)
  );
}

/**
 * The result statuses that fit a payment status. A payment that succeeded with a different amount than the order expects
 * is reported as pending.
 * @param {string | null} status
 */
function statusesOf(status) {
  if (status === 'succeeded') return ['success', 'pending'];
  return status === 'failed' || status === 'reversed' ? ['failed'] : ['pending'];
}

module.exports = { readReturn };
