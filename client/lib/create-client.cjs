/**
 * The calls of a merchant's server, with tokens, retries, idempotency keys and sealed payloads. It depends only on fetch
 * and Web Crypto, and is plain JavaScript, so that it runs without a build step.
 */
const { PaymentOrderError, ServiceCallError } = require('./errors.cjs');
const { readReturn } = require('./read-return.cjs');
const { openReply, sealPayload } = require('./sealed-payload.cjs');
const { send } = require('./send.cjs');
const { createTokens, withToken } = require('./tokens.cjs');
const { verifySignature } = require('./verify-signature.cjs');

const attemptMsMax = 15_000;

/** @type {typeof import('../client.cjs').createClient} */
function createClient(options) {
  const { accessKey, accessSecret, encrypted = false, signatureVersion = 'v3' } = options;
  const baseUrl = readBaseUrl(options.baseUrl);
  requireText('accessKey', accessKey);
  requireText('accessSecret', accessSecret);
  const sending = {
    fetch: /** @type {typeof globalThis.fetch} */ (options.fetch ?? globalThis.fetch),
    timeoutMs: options.timeoutMs ?? attemptMsMax,
  };
  const tokens = createTokens(() =>
    post('/api/v3/generate-token', { access_key: accessKey, access_secret: accessSecret }).then(
      succeed,
    ),
  );

  /** @param {string} path @param {object} body @param {Record<string, string>} [headers] @param {string} [method] */
  const post = (path, body, headers = {}, method = 'POST') =>
    send(sending, `${baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  /** @param {string} path @param {object} body @param {Record<string, string>} [more] @param {string} [method] */
  const call = async (path, body, more, method) => {
    const reply = await withToken(tokens, async (authorization) => {
      const headers = { authorization, ...more };
      if (!encrypted) return post(path, body, headers, method);
      const encrypted_payload = await sealPayload(JSON.stringify(body), accessSecret);
      return openReply(await post(path, { encrypted_payload }, headers, method), accessSecret);
    });
    return succeed(reply);
  };

  /**
   * Payments and refunds carry a key by which the service recognises a repeat. It is the same in every retry of a call,
   * and errors name it, so that the caller can continue with it.
   * @param {string} path @param {object} body @param {{ idempotencyKey?: string }} [options]
   */
  const callWithKey = async (path, body, { idempotencyKey = crypto.randomUUID() } = {}) => {
    requireKey(idempotencyKey);
    try {
      return await call(path, body, { 'idempotency-key': toHeader(idempotencyKey) });
    } catch (error) {
      if (error instanceof PaymentOrderError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  };

  /** @param {string} path @param {Record<string, string | undefined>} query */
  const get = async (path, query) => {
    const given = Object.entries(query).filter((pair) => pair[1] !== undefined);
    const search = new URLSearchParams(/** @type {[string, string][]} */ (given));
    const url = `${baseUrl}${path}?${search}`;
    const reply = await withToken(tokens, (authorization) =>
      send(sending, url, { method: 'GET', headers: { authorization } }),
    );
    return succeed(reply);
  };

  return {
    createOrder: (order) => call('/api/v3/create-order', order),
    createPaymentLink: (order) => call('/api/v3/payment-link', order),
    enquirePaymentLink: (link) => call('/api/v3/payment-link/enquiry', link),
    updatePaymentLink: (changes) => call('/api/v3/payment-link', changes, {}, 'PATCH'),
    cancelPaymentLink: (link) =>
      call('/api/v3/payment-link/actions', { ...link, action: 'cancel' }),
    getOrder: (ids) => get('/api/v3/order', ids),
    updateOrder: (changes) => call('/api/v3/update-order', changes),
    resolveUser: (consumer) => call('/api/v3/resolve-user', consumer),
    paymentModes: (ids) => call('/api/v3/payment-modes', ids),
    listOfBanks: (ids) => call('/api/v3/list-of-banks', ids),
    listOfWallets: (ids) => call('/api/v3/list-of-wallets', ids),
    initiatePayment: (payment, options) =>
      callWithKey('/api/v3/initiate-payment', payment, options),
    refund: (refund, options) => callWithKey('/api/v3/refund', refund, options),
    capture: (capture, options) => callWithKey('/api/v3/capture', capture, options),
    void: (payment, options) => callWithKey('/api/v3/void', payment, options),
    transactionEnquiry: (ids) => call('/api/v3/transaction-enquiry', ids),
    refreshToken: (refreshToken) => call('/api/v3/refresh-token', { refresh_token: refreshToken }),
    verifySignature: (transaction, invoiceId) =>
      verifySignature(transaction, invoiceId, accessSecret, signatureVersion),
    readReturn: (response) => readReturn({ response, accessSecret, signatureVersion }),
  };
}

/** The body of a success; anything else is thrown. @param {import('./send.cjs').Reply} reply */
function succeed(reply) {
  const isSuccess = reply.status >= 200 && reply.status < 300;
  if (isSuccess && typeof reply.body === 'object' && reply.body !== null) return reply.body;
  throw new ServiceCallError(reply);
}

/** Without a slash at its end. @param {string} text */
function readBaseUrl(text) {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new TypeError(`baseUrl must be the URL of the service, such as https://pay.example.com`);
  }
  return text.replace(/\/+$/, '');
}

/** An unset environment variable is found here and not by a 401. @param {string} name @param {unknown} value */
function requireText(name, value) {
  if (typeof value === 'string' && value !== '') return;
  throw new TypeError(`${name} is missing: pass the one of your account`);
}

/**
 * A key that was lost on its way, such as an empty column, would be the same for every payment: the second one would get
 * the reply to the first. @param {unknown} key
 */
function requireKey(key) {
  const isKey = typeof key === 'string' && key.trim() !== '' && [...key].length <= 255;
  if (isKey && key.isWellFormed() && !/\p{Cc}/u.test(key)) return;
  throw new TypeError(
    'idempotencyKey must be a text of 1 to 255 characters without control characters',
  );
}

/** The bytes of its UTF-8, one character each, as `fetch` sends headers. @param {string} text */
function toHeader(text) {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

module.exports = { createClient };
