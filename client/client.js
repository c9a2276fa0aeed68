// @ts-check
/**
 * The client for a merchant's server: tokens, retries, sealed payloads and signatures. It depends only on fetch and Web
 * Crypto, and is plain JavaScript so that it runs without a build step. Its types are in client.d.ts.
 */

const tokenMarginMs = 30_000;
const attemptsMax = 4;
const attemptMsMax = 15_000;
const backoffMs = 100;
const retryAfterMsMax = 10_000;

/** @type {typeof import('./client.d.ts').createClient} */
export function createClient(options) {
  const { accessKey, accessSecret, encrypted = false, fetch = globalThis.fetch } = options;
  const { signatureVersion = 'v3' } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const tokens = createTokens(() =>
    post('/api/v3/generate-token', { access_key: accessKey, access_secret: accessSecret }),
  );

  /** @param {string} path @param {object} body @param {Record<string, string>} [headers] */
  const post = (path, body, headers = {}) =>
    send(fetch, `${baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  /** @param {string} path @param {object} body @param {Record<string, string>} [more] */
  const call = (path, body, more) =>
    withToken(tokens, async (authorization) => {
      const headers = { authorization, ...more };
      if (!encrypted) return post(path, body, headers);
      const encrypted_payload = await sealPayload(JSON.stringify(body), accessSecret);
      return openReply(await post(path, { encrypted_payload }, headers), accessSecret);
    });

  /** Payments and refunds carry a key by which the service recognises a repeat, so a retry has no second effect.
   * @param {string} path @param {object} body @param {{ idempotencyKey?: string }} [options] */
  const callWithKey = (path, body, { idempotencyKey = crypto.randomUUID() } = {}) =>
    call(path, body, { 'idempotency-key': idempotencyKey });

  /** @param {string} path @param {Record<string, string | undefined>} query */
  const get = (path, query) =>
    withToken(tokens, (authorization) => {
      const given = Object.entries(query).filter((pair) => pair[1] !== undefined);
      const search = new URLSearchParams(/** @type {[string, string][]} */ (given));
      return send(fetch, `${baseUrl}${path}?${search}`, { headers: { authorization } });
    });

  return {
    createOrder: (order) => call('/api/v3/create-order', order).then(succeed),
    getOrder: (ids) => get('/api/v3/order', ids).then(succeed),
    updateOrder: (changes) => call('/api/v3/update-order', changes).then(succeed),
    resolveUser: (consumer) => call('/api/v3/resolve-user', consumer).then(succeed),
    paymentModes: (ids) => call('/api/v3/payment-modes', ids).then(succeed),
    listOfBanks: (ids) => call('/api/v3/list-of-banks', ids).then(succeed),
    listOfWallets: (ids) => call('/api/v3/list-of-wallets', ids).then(succeed),
    initiatePayment: (payment, options) =>
      callWithKey('/api/v3/initiate-payment', payment, options).then(succeed),
    refund: (refund, options) => callWithKey('/api/v3/refund', refund, options).then(succeed),
    transactionEnquiry: (ids) => call('/api/v3/transaction-enquiry', ids).then(succeed),
    refreshToken: (refreshToken) =>
      call('/api/v3/refresh-token', { refresh_token: refreshToken }).then(succeed),
    verifySignature: (transaction, invoiceId) =>
      verifySignature(transaction, invoiceId, accessSecret, signatureVersion),
    readReturn: (response) => readReturn({ response, accessSecret, signatureVersion }),
  };
}

/** An error reply of the service, with its code and both messages. */
export class ServiceCallError extends Error {
  /** @param {Reply} reply */
  constructor({ status, body, requestId }) {
    const error = body?.error ?? {};
    super(`${error.svc_error_code ?? `HTTP ${status}`}: ${error.svc_merchant_message ?? ''}`);
    this.name = 'ServiceCallError';
    this.status = status;
    this.code = error.svc_error_code ?? 'UNKNOWN';
    this.consumerMessage = error.svc_consumer_message ?? '';
    this.merchantMessage = error.svc_merchant_message ?? '';
    this.requestId = requestId;
  }
}

/**
 * True if a reply of the enquiry was made by the service and is unchanged. Web Crypto compares in constant time.
 * @type {typeof import('./client.d.ts').verifySignature}
 */
export async function verifySignature(transaction, invoiceId, accessSecret, version = 'v3') {
  const { svc_signature: signature, transaction_amount: amount } = transaction;
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const currency = transaction.transaction_currency ?? '';
  // The reply must not choose its own version, and a currency with a `|` could shift the signed fields.
  if (transaction.signature_version !== version || !/^[A-Z]{3}$/.test(currency)) return false;
  if (typeof amount !== 'number') return false;
  const parts = [
    invoiceId,
    transaction.svc_transaction_id,
    amount.toFixed(decimalsByCurrency[currency] ?? 2),
    currency,
  ];
  if (version === 'v3') {
    parts.push(
      transaction.payment_status ?? transaction.refund_status ?? '',
      transaction.transaction_type,
    );
  }
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secret = new TextEncoder().encode(accessSecret);
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
  return crypto.subtle.verify(
    'HMAC',
    key,
    fromHex(signature),
    new TextEncoder().encode(parts.join('|')),
  );
}

/**
 * Reads the result that a consumer brings back, and throws unless the service made it. The signature covers the
 * transaction only, so the other fields must agree with the transaction.
 * @type {typeof import('./client.d.ts').readReturn}
 */
export async function readReturn({ response, accessSecret, signatureVersion = 'v3' }) {
  const payload = parseReturn(response);
  const { transaction, order } = payload;
  if (transaction.svc_signature === null) {
    throw new Error('the returned result is not signed: use transactionEnquiry instead');
  }
  const secrets = typeof accessSecret === 'string' ? [accessSecret] : accessSecret;
  const verified = await Promise.all(
    secrets.map((secret) =>
      verifySignature(transaction, payload.invoice_id, secret, signatureVersion),
    ),
  );
  if (!verified.includes(true)) {
    throw new Error('the signature of the returned result is not valid: do not trust it');
  }
  const agrees =
    payload.svc_transaction_id === transaction.svc_transaction_id &&
    payload.svc_signature === transaction.svc_signature &&
    payload.signature_version === transaction.signature_version &&
    transaction.signature === transaction.svc_signature &&
    transaction.status === transaction.payment_status &&
    transaction.svc_transaction_id.startsWith(`${payload.svc_order_id}-`) &&
    order.svc_order_id === payload.svc_order_id &&
    order.invoice_id === payload.invoice_id &&
    statusesOf(transaction.payment_status).includes(payload.status);
  if (!agrees) throw new Error('the returned result contradicts its signature: do not trust it');
  return payload;
}

/** @param {string} response @returns {import('./client.d.ts').ReturnedPayment} */
function parseReturn(response) {
  // Base64 has no percent sign, so the text is still URL-encoded.
  const text = response.includes('%') ? decodeURIComponent(response) : response;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const payload = parse(new TextDecoder().decode(bytes))?.payload;
  if (!payload?.transaction?.svc_transaction_id || !payload.order) {
    throw new Error('the response is not a result of the service');
  }
  return payload;
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

/**
 * Currencies with more than two decimals. The amounts of all others are signed with two.
 * @type {Record<string, number>}
 */
const decimalsByCurrency = {
  ...{ BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 },
  ...{ CLF: 4, UYW: 4 },
};

/** @typedef {{ status: number, body: any, requestId: string | null }} Reply */

/** @param {Reply} reply */
function succeed(reply) {
  if (reply.status >= 200 && reply.status < 300) return reply.body;
  throw new ServiceCallError(reply);
}

/**
 * One token for all calls. Concurrent calls share one request for a new token.
 * @param {() => Promise<Reply>} generate
 */
function createTokens(generate) {
  /** @type {{ token: string, expiresAtMs: number } | undefined} */
  let known;
  /** @type {Promise<{ token: string, expiresAtMs: number }> | undefined} */
  let renewing;
  const renew = () => {
    renewing ??= generate()
      .then(succeed)
      .then(({ token, expires_at }) => {
        known = { token, expiresAtMs: Date.parse(expires_at) };
        return known;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  return {
    get: async () => (known && known.expiresAtMs - tokenMarginMs > Date.now() ? known : renew()),
    /** Only the current token is dropped: another call may have renewed it already. @param {string} refused */
    drop: (refused) => {
      if (known?.token === refused) known = undefined;
    },
  };
}

/**
 * @param {ReturnType<typeof createTokens>} tokens
 * @param {(authorization: string) => Promise<Reply>} request
 */
async function withToken(tokens, request) {
  const { token } = await tokens.get();
  const reply = await request(`Bearer ${token}`);
  if (reply.status !== 401) return reply;
  tokens.drop(token);
  return request(`Bearer ${(await tokens.get()).token}`);
}

/**
 * Retries a call that got no reply, or a reply that asks for a retry. That is safe for every call: an invoice has one
 * order, a payment or refund has its key, and a repeat of any other call changes nothing more.
 * @param {typeof globalThis.fetch} fetch
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<Reply>}
 */
async function send(fetch, url, init) {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attemptsMax;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(attemptMsMax) });
      const text = await response.text();
      if (isLast || ![429, 502, 503, 504].includes(response.status)) {
        const requestId = response.headers.get('x-request-id');
        return { status: response.status, body: parse(text), requestId };
      }
      await pause(attempt, response.headers.get('retry-after'));
    } catch (error) {
      if (isLast) throw error;
      await pause(attempt, null);
    }
  }
}

/** @param {number} attempt @param {string | null} retryAfter */
function pause(attempt, retryAfter) {
  const askedMs = Math.min(Number(retryAfter ?? 0) * 1000, retryAfterMsMax) || 0;
  const ownMs = backoffMs * 2 ** attempt * (0.5 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, Math.max(askedMs, ownMs)));
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {Reply} reply @param {string} accessSecret @returns {Promise<Reply>} */
async function openReply(reply, accessSecret) {
  const sealed = reply.body?.encrypted_response;
  if (typeof sealed !== 'string') {
    // An error that occurred before the body was decrypted is plain; a success must be sealed.
    if (reply.status < 300) throw new Error('the reply to a sealed request is not sealed');
    return reply;
  }
  return { ...reply, body: parse(await openPayload(sealed, accessSecret)) };
}

/** @param {string} text @param {string} accessSecret */
async function sealPayload(text, accessSecret) {
  const iv = crypto.getRandomValues(new Uint8Array(16));
  const key = await payloadKey(accessSecret);
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    key,
    new TextEncoder().encode(text),
  );
  return toHex(iv) + toHex(new Uint8Array(sealed));
}

/** @param {string} hex @param {string} accessSecret */
async function openPayload(hex, accessSecret) {
  const bytes = fromHex(hex);
  const iv = bytes.subarray(0, 16);
  const key = await payloadKey(accessSecret);
  const opened = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, bytes.subarray(16));
  return new TextDecoder().decode(opened);
}

/** @param {string} accessSecret */
async function payloadKey(accessSecret) {
  const prefix = 'access_secret_';
  const remainder = accessSecret.slice(accessSecret.indexOf(prefix) + prefix.length);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(remainder));
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {string} hex */
function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
