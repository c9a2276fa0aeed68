/** Addresses a consumer can be sent to. */

/** http or https, without credentials: anything else may be a script, or lead elsewhere than it looks. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hostname } = new URL(text);
  return username === '' && password === '' && isPlainHost(hostname);
}

/** A name or an address. The parser lets characters pass that mean something in a header. */
function isPlainHost(hostname: string): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname);
}

/** A web address whose content nobody on the way can read or change: https, or http on this machine. */
export function isSecureWebAddress(text: string): boolean {
  if (!isWebAddress(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/** Scheme, host and port of a secure web address that has nothing else; undefined for any other text. */
export function findOrigin(text: string): string | undefined {
  if (!isSecureWebAddress(text)) return undefined;
  const { origin, href } = new URL(text);
  // It would look as if it stood for many hosts.
  if (origin.includes('*')) return undefined;
  return href === `${origin}/` ? origin : undefined;
}
