/** Calls of the API of the dashboard. The session is a cookie, so there is nothing to send with a call. */
import { signal } from '@preact/signals';
import { base } from './router.js';

/** False after a call that got no reply, until one gets through. */
export const isOnline = signal(true);

/** True after a call that was answered 401: the page stays as it is, behind a question to sign in again. */
export const isSignedOut = signal(false);

/** The id of the account that the pages show. */
export const shownAccount = signal(/** @type {string | null} */ (null));

export class ApiError extends Error {
  /**
   * @param {number} status 0 if there was no reply.
   * @param {string} code
   * @param {string} message
   * @param {number} [retryAfterSeconds]
   */
  constructor(status, code, message, retryAfterSeconds) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * @param {string} path Such as `/orders?status=completed`.
 * @param {{ signal?: AbortSignal }} [options]
 */
export function get(path, options) {
  return call('GET', path, undefined, options);
}

/**
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ headers?: Record<string, string> }} [options]
 */
export function post(path, body = {}, options) {
  return call('POST', path, body, options);
}

/**
 * @param {'GET' | 'POST' | 'PATCH' | 'DELETE'} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ signal?: AbortSignal, headers?: Record<string, string> }} [options]
 * @returns {Promise<any>}
 */
export async function call(method, path, body, options = {}) {
  const isOwnQuestion = path.startsWith('/sign-in') || path.startsWith('/confirm');
  const send = () => request(method, path, body, options);
  const reply = await (isOwnQuestion ? changingCookie(send) : withCookie(send));
  isOnline.value = true;
  if (reply.status === 204) return undefined;
  const answer = await reply.json().catch(() => undefined);
  if (reply.ok && answer !== undefined) return answer;
  if (reply.status === 401 && !isOwnQuestion) {
    isSignedOut.value = true;
    throw new ApiError(
      401,
      'SIGNED_OUT',
      'Your session had ended, so nothing was done. Try again.',
    );
  }
  const { svc_error_code: code, svc_merchant_message: message } = answer?.error ?? {};
  const retryAfter = Number(reply.headers.get('retry-after'));
  throw new ApiError(
    reply.status,
    code ?? 'UNEXPECTED_REPLY',
    message ?? `The service answered ${reply.status}. Please try again.`,
    retryAfter > 0 ? retryAfter : undefined,
  );
}

/** How often the cookie began or ended to change. */
let cookieChanges = 0;
/** @type {Promise<unknown>} */
let changing = Promise.resolve();

/** @param {() => Promise<Response>} send */
async function changingCookie(send) {
  cookieChanges += 1;
  const sending = send().finally(() => {
    cookieChanges += 1;
  });
  changing = sending.catch(() => undefined);
  return sending;
}

/**
 * A confirmation changes the cookie. A call that left with the former one is answered 401, so it is sent once more.
 * @param {() => Promise<Response>} send
 */
async function withCookie(send) {
  const before = cookieChanges;
  const reply = await send();
  if (reply.status !== 401) return reply;
  await changing;
  return cookieChanges === before ? reply : send();
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 * @param {{ signal?: AbortSignal, headers?: Record<string, string> }} options
 */
async function request(method, path, body, { signal, headers }) {
  try {
    return await fetch(`${base}/api${path}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        // A change in the account of another tab is refused.
        ...(shownAccount.value !== null && { 'x-shown-account': shownAccount.value }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    isOnline.value = false;
    throw new ApiError(0, 'OFFLINE', 'There is no connection to the service.');
  }
}
