/** Checks that a webhook comes from the service, by Standard Webhooks 1.0.0, and returns its event. */
const { UntrustedDataError } = require('./errors.cjs');
const { openPayload } = require('./sealed-payload.cjs');
const { parseJson } = require('./send.cjs');

const secretPrefix = 'whsec_';
/** The least that the standard allows; the service uses 32. */
const secretBytesMin = 24;

/**
 * Mistakes of the receiver, such as a parsed body, throw a `TypeError`: otherwise they would look like forgeries.
 * @type {typeof import('../client.cjs').verifyWebhook}
 */
async function verifyWebhook({ headers, body, secret, toleranceSeconds = 300, accessSecret }) {
  const keys = readSecrets(secret);
  const bytes = readBody(body);
  requireTolerance(toleranceSeconds);
  const id = readHeader(headers, 'webhook-id');
  const timestamp = readHeader(headers, 'webhook-timestamp');
  const signatures = readHeader(headers, 'webhook-signature').split(' ');
  checkAge(timestamp, toleranceSeconds);
  await checkSignatures(signatures, join(`${id}.${timestamp}.`, bytes), keys);
  return openEvent(parseEvent(new TextDecoder().decode(bytes)), accessSecret);
}

/** @param {string | readonly string[]} secret */
function readSecrets(secret) {
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  if (secrets.length === 0) throw wrongSecret();
  return secrets.map(readSecret);
}

/** @param {unknown} secret */
function readSecret(secret) {
  // A secret that is read from a file ends with a line break.
  const text = typeof secret === 'string' ? secret.trim() : '';
  const base64 = text.slice(secretPrefix.length);
  const isBase64 = base64.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  if (!text.startsWith(secretPrefix) || !isBase64) throw wrongSecret();
  const key = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  if (key.length < secretBytesMin) throw wrongSecret();
  return key;
}

/** The value is not shown: it may be another secret. */
function wrongSecret() {
  const advice = 'pass the one that endpoint create or endpoint rotate printed';
  return new TypeError(`secret must be whsec_ and base64: ${advice}`);
}

/** @param {unknown} body @returns {Uint8Array} */
function readBody(body) {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  // Not `instanceof Uint8Array`: test runners have their own copy of that class.
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  }
  const advice = "pass the raw body, in Express by express.raw({ type: 'application/json' })";
  throw new TypeError(`body must be a string, a Buffer or a Uint8Array: ${advice}`);
}

/** Every comparison with NaN is false, so it would accept any age. @param {unknown} toleranceSeconds */
function requireTolerance(toleranceSeconds) {
  if (typeof toleranceSeconds === 'number' && toleranceSeconds >= 0) return;
  throw new TypeError('toleranceSeconds must be a number of seconds, such as 300');
}

/**
 * Of a Headers object, or of an object whose names may be in any case.
 * @param {import('../client.cjs').WebhookHeaders} headers @param {string} name
 */
function readHeader(headers, name) {
  if (typeof headers !== 'object' || headers === null) {
    throw new TypeError('headers is missing: pass the headers of the request');
  }
  const value = typeof headers.get === 'function' ? headers.get(name) : findHeader(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  const reason = 'the request does not come from the service, or a proxy removed the header';
  throw new UntrustedDataError('MISSING_HEADER', `${name} is missing: ${reason}`);
}

/** @param {object} headers @param {string} name */
function findHeader(headers, name) {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value.join() : value;
}

/**
 * An old request may be a repeat by somebody who recorded it.
 * @param {string} timestamp @param {number} toleranceSeconds
 */
function checkAge(timestamp, toleranceSeconds) {
  if (!/^\d{1,12}$/.test(timestamp)) {
    const message = 'webhook-timestamp is not a number of seconds: do not trust the request';
    throw new UntrustedDataError('INVALID_TIMESTAMP', message);
  }
  const ageSeconds = Math.floor(Date.now() / 1000) - Number(timestamp);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const age = ageSeconds > 0 ? `${ageSeconds} s old` : `${-ageSeconds} s in the future`;
  const advice = 'do not trust it, and check the clock of your server';
  throw new UntrustedDataError('INVALID_TIMESTAMP', `the request is ${age}: ${advice}`);
}

/**
 * A request has one signature for each live secret of the endpoint. Those of other versions are left to other receivers.
 * @param {readonly string[]} signatures @param {Uint8Array<ArrayBuffer>} content
 * @param {readonly Uint8Array<ArrayBuffer>[]} keys
 */
async function checkSignatures(signatures, content, keys) {
  for (const key of keys) {
    const expected = `v1,${await sign(content, key)}`;
    if (signatures.some((signature) => isEqual(signature, expected))) return;
  }
  const advice = 'pass the raw body and the secret of this endpoint; otherwise do not trust it';
  const message = `no signature fits the body and the secret: ${advice}`;
  throw new UntrustedDataError('INVALID_SIGNATURE', message);
}

/** @param {Uint8Array<ArrayBuffer>} content @param {Uint8Array<ArrayBuffer>} bytes */
async function sign(content, bytes) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, content));
  return btoa(String.fromCharCode(...signature));
}

/** In constant time: how much of a guess is right must not be measurable. @param {string} text @param {string} other */
function isEqual(text, other) {
  if (text.length !== other.length) return false;
  let difference = 0;
  for (let place = 0; place < text.length; place += 1) {
    difference |= text.charCodeAt(place) ^ other.charCodeAt(place);
  }
  return difference === 0;
}

/** @param {string} text @param {Uint8Array} bytes */
function join(text, bytes) {
  const start = new TextEncoder().encode(text);
  const joined = new Uint8Array(start.length + bytes.length);
  joined.set(start);
  joined.set(bytes, start.length);
  return joined;
}

/** @param {string} text */
function parseEvent(text) {
  const event = parseJson(text);
  if (typeof event === 'object' && event !== null) return event;
  const message = 'the body is signed, but is not an event: check who else has the secret';
  throw new UntrustedDataError('INVALID_EVENT', message);
}

/**
 * The event of an account with encrypted payloads is inside `encrypted_response`.
 * @param {any} event @param {string | readonly string[] | undefined} accessSecret
 */
async function openEvent(event, accessSecret) {
  const sealed = event.encrypted_response;
  if (typeof sealed !== 'string') return event;
  if (accessSecret === undefined) {
    throw new TypeError('accessSecret is missing: the account encrypts its payloads');
  }
  let cause;
  for (const secret of [accessSecret].flat()) {
    try {
      return parseEvent(await openPayload(sealed, secret));
    } catch (error) {
      cause = error;
    }
  }
  const message = 'the encrypted event cannot be opened: pass the access secret of the account';
  throw new UntrustedDataError('INVALID_EVENT', message, { cause });
}

module.exports = { verifyWebhook };
