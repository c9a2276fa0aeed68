/** Every error that a call of the client can throw. `code` says what happened; `instanceof` says who noticed it. */

/** The base of all errors. */
class PaymentOrderError extends Error {
  /**
   * @param {import('../client.cjs').ErrorCode} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(message, options);
    this.name = 'PaymentOrderError';
    this.code = code;
    /** @type {string | null} */
    this.idempotencyKey = null;
  }
}

/** An error reply. One that does not come from the service, such as that of a proxy, has no code of the service. */
class ServiceCallError extends PaymentOrderError {
  /** @param {import('./send.cjs').Reply} reply */
  constructor({ status, body, requestId }) {
    const error = body?.error ?? {};
    const code = error.svc_error_code ?? 'UNEXPECTED_REPLY';
    const unexpected = `the reply with status ${status} is not one of the service: check baseUrl and any proxy`;
    super(code, `${code}: ${error.svc_merchant_message ?? unexpected}`);
    this.name = 'ServiceCallError';
    this.status = status;
    this.consumerMessage = error.svc_consumer_message ?? '';
    this.merchantMessage = error.svc_merchant_message ?? unexpected;
    this.requestId = requestId;
  }
}

/** No reply. Whether the call took effect is unknown. */
class NetworkError extends PaymentOrderError {
  /**
   * @param {string} call method and path
   * @param {string} origin
   * @param {unknown} cause
   */
  constructor(call, origin, cause) {
    const code = isTimeout(cause) ? 'TIMEOUT' : 'NETWORK_ERROR';
    const advice = 'check that the service can be reached, then repeat the call unchanged';
    super(code, `${code}: ${call} got no reply from ${origin} (${reasonOf(cause)}): ${advice}`, {
      cause,
    });
    this.name = 'NetworkError';
  }
}

/** Data that cannot be trusted: forged, changed, or not signed or encrypted although it must be. */
class UntrustedDataError extends PaymentOrderError {
  /**
   * @param {import('../client.cjs').UntrustedDataCode} code
   * @param {string} message
   * @param {{ cause?: unknown }} [options]
   */
  constructor(code, message, options) {
    super(code, `${code}: ${message}`, options);
    this.name = 'UntrustedDataError';
  }
}

/** @param {unknown} error */
function isTimeout(error) {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** `fetch` hides the reason, such as ECONNREFUSED, in its cause. @param {unknown} error */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  const cause = /** @type {{ code?: unknown } | undefined} */ (error.cause);
  return typeof cause?.code === 'string' ? cause.code : error.message;
}

module.exports = { PaymentOrderError, ServiceCallError, NetworkError, UntrustedDataError };
