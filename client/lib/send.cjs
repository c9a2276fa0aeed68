/** Sends one call and retries it while there is no usable reply. */
const { NetworkError } = require('./errors.cjs');

const attemptsMax = 4;
const backoffMs = 100;
const retryAfterMsMax = 10_000;
/** Too many requests, and no service behind the proxy or in the service. */
const retriedStatuses = [429, 502, 503, 504];

/** @typedef {{ status: number, body: any, requestId: string | null }} Reply */

/**
 * Retries a call that got no reply, or a reply that asks for a retry. That is safe for every call: an invoice has one
 * order, a payment or refund has its key, and a repeat of any other call changes nothing more.
 * @param {{ fetch: typeof globalThis.fetch, timeoutMs: number }} options
 * @param {string} url
 * @param {{ method: string, headers: Record<string, string>, body?: string }} request
 * @returns {Promise<Reply>}
 */
async function send({ fetch, timeoutMs }, url, request) {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attemptsMax;
    try {
      const response = await fetch(url, {
        ...request,
        // The service never redirects a call, and the secret in the body must not go to another host.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (isLast || !retriedStatuses.includes(response.status)) {
        const requestId = response.headers.get('x-request-id');
        return { status: response.status, body: parseJson(text), requestId };
      }
      await pause(attempt, response.headers.get('retry-after'));
    } catch (error) {
      if (isLast) {
        const { origin, pathname } = new URL(url);
        throw new NetworkError(`${request.method} ${pathname}`, origin, error);
      }
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

/** Undefined if the text is not JSON. @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

module.exports = { send, parseJson };
