// @ts-check
/**
 * The client for a merchant's server: tokens, retries, sealed payloads and signatures, with nothing
 * but what the platform brings (fetch and Web Crypto). Plain JavaScript, so that it runs as it is
 * wherever it is installed; its types are in client.d.ts.
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

  /** What moves money has a key, by which the service knows a repeat: however often it is sent, it is done once.
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

/** A refusal of the service, with its code and both its messages. */
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
 * True when an answer of the enquiry is the service's own and unchanged. Compared in constant time by
 * Web Crypto.
 * @type {typeof import('./client.d.ts').verifySignature}
 */
export async function verifySignature(transaction, invoiceId, accessSecret, version = 'v3') {
  const { svc_signature: signature, transaction_amount: amount } = transaction;
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const currency = transaction.transaction_currency ?? '';
  // What is expected is not for the answer to say, and no member may hide another.
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
 * What a consumer brings back from the payment, once it is proved to be the service's own. The signature covers the
 * transaction; everything beside it must agree with that.
 * @type {typeof import('./client.d.ts').readReturn}
 */
export async function readReturn({ response, accessSecret, signatureVersion = 'v3' }) {
  const payload = parseReturn(response);
  const { transaction, order } = payload;
  if (transaction.svc_signature === null) {
    throw new Error('the returned result is not signed: ask transactionEnquiry for it');
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
  // Base64 has no percent sign, so one is left from the address.
  const text = response.includes('%') ? decodeURIComponent(response) : response;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const payload = parse(new TextDecoder().decode(bytes))?.payload;
  if (!payload?.transaction?.svc_transaction_id || !payload.order) {
    throw new Error('the response is not a result of the service');
  }
  return payload;
}

/**
 * What a result may say of a payment with this status. One that succeeded with another amount than the order expects
 * is pending.
 * @param {string | null} status
 */
function statusesOf(status) {
  if (status === 'succeeded') return ['success', 'pending'];
  return status === 'failed' || status === 'reversed' ? ['failed'] : ['pending'];
}

/**
 * Currencies with more than two decimals; all others are signed with two.
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
 * One token for all calls, one request for it at a time.
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
    /** Only the first who finds a token refused makes the others ask anew. @param {string} refused */
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
 * Every call can be repeated: an invoice has one order, a payment or refund has its key, and the others change
 * nothing, or nothing more when they come again. So what was not answered, or answered "not now", is tried again.
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
    // A refusal before the body was opened is plain; a success must not be.
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
