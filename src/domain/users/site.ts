/** Under which names browsers reach the dashboard. Contract 13.2. */
import { isLoopback } from '../web-address.ts';

/**
 * The origins whose pages may change something. A service on this machine is called `localhost` or by its address, and
 * both are the same to whoever types them.
 */
export function dashboardOrigins(publicUrl: string): string[] {
  const url = new URL(publicUrl);
  if (!isOnThisMachine(url)) return [url.origin];
  return ['localhost', '127.0.0.1', '[::1]'].map((name) => withHost(url, name).origin);
}

/** A passkey belongs to a name and not to an address, so links to this machine have its name. */
export function dashboardUrl(publicUrl: string): string {
  const url = new URL(publicUrl);
  const named = isOnThisMachine(url) ? withHost(url, 'localhost') : url;
  return `${named.href.replace(/\/$/, '')}/dashboard`;
}

export function relyingPartyId(publicUrl: string): string {
  const url = new URL(publicUrl);
  return isOnThisMachine(url) ? 'localhost' : url.hostname;
}

/** The last two are what a service without PUBLIC_URL has when it listens on every address. */
function isOnThisMachine({ hostname }: URL): boolean {
  return isLoopback(hostname) || hostname === '0.0.0.0' || hostname === '[::]';
}

function withHost(url: URL, hostname: string): URL {
  const other = new URL(url);
  other.hostname = hostname;
  return other;
}
