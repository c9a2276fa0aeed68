/** Encrypts bodies, decrypts replies and events: AES-256-GCM, hex of a 16-byte nonce, the ciphertext and a 16-byte tag. */
const { UntrustedDataError } = require('./errors.cjs');
const { fromHex, toHex } = require('./hex.cjs');
const { parseJson } = require('./send.cjs');

const nonceBytes = 16;
const secretPrefix = 'access_secret_';

/** @param {string} text @param {string} accessSecret */
async function sealPayload(text, accessSecret) {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const key = await payloadKey(accessSecret);
  const bytes = new TextEncoder().encode(text);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, bytes);
  return toHex(iv) + toHex(new Uint8Array(sealed));
}

/**
 * @param {import('./send.cjs').Reply} reply
 * @param {string} accessSecret
 * @returns {Promise<import('./send.cjs').Reply>}
 */
async function openReply(reply, accessSecret) {
  const sealed = reply.body?.encrypted_response;
  if (typeof sealed !== 'string') {
    // An error that occurred before the body was decrypted is plain; a success must be sealed.
    if (reply.status >= 300) return reply;
    throw new UntrustedDataError('UNSEALED_REPLY', 'the reply to a sealed request is not sealed');
  }
  try {
    return { ...reply, body: parseJson(await openPayload(sealed, accessSecret)) };
  } catch (cause) {
    const message = 'the sealed reply cannot be opened with this access secret';
    throw new UntrustedDataError('UNSEALED_REPLY', message, { cause });
  }
}

/** Rejects if the text was changed or sealed with another secret. @param {string} hex @param {string} accessSecret */
async function openPayload(hex, accessSecret) {
  const bytes = fromHex(hex);
  const iv = bytes.subarray(0, nonceBytes);
  const key = await payloadKey(accessSecret);
  const sealed = bytes.subarray(nonceBytes);
  const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed);
  return new TextDecoder().decode(opened);
}

/** @param {string} accessSecret */
async function payloadKey(accessSecret) {
  const remainder = accessSecret.slice(accessSecret.indexOf(secretPrefix) + secretPrefix.length);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(remainder));
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

module.exports = { openPayload, openReply, sealPayload };
