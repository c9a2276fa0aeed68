/** Checks of URLs to which a consumer's browser can be sent. */

/** True for http and https URLs without credentials. Others may be scripts, or hide their real host. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hostname } = new URL(text);
  return username === '' && password === '' && isPlainHost(hostname);
}

/** A host name or IP address. The URL parser accepts characters that have a meaning in a header. */
const isPlainHost = (hostname: string): boolean => /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname);

/** True for https, and for http on this machine: nobody on the network can read or change the traffic. */
export function isSecureWebAddress(text: string): boolean {
  if (!isWebAddress(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/**
 * True for `upi://pay?pa=…`, which opens a UPI app with the payee and the amount. Nothing that could leave an attribute
 * or a header is allowed in it.
 */
export function isUpiIntent(text: string): boolean {
  if (!/^upi:\/\/pay\?[!#-;=?-[\]_a-z|~]+$/i.test(text)) return false;
  return Boolean(URL.parse(text)?.searchParams.get('pa'));
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** The origin of a secure URL that consists of nothing else; undefined for any other text. */
export function findOrigin(text: string): string | undefined {
  if (!isSecureWebAddress(text)) return undefined;
  const { origin, href } = new URL(text);
  // A star would look like a wildcard, which is not supported.
  if (origin.includes('*')) return undefined;
  return href === `${origin}/` ? origin : undefined;
}
