/** The IP address that a request comes from, for the back-off of sign-ins and for the audit log. Contract 13.2. */
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import { contains, plainAddress } from '../security/networks.ts';

/**
 * A proxy appends the address that it was called from to `X-Forwarded-For`. So entries count from the right, and only
 * those that a trusted proxy wrote: the first one that is no trusted proxy is the client, and what is left of it is what
 * the client claims. An entry that is no address ends the walk.
 */
export function clientAddress({ socket, headers }: IncomingMessage, trustedProxies: BlockList) {
  const peer = socket.remoteAddress ?? '';
  let client = addressOf(peer) ?? peer;
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
  for (const entry of entries) {
    if (client === '' || !contains(trustedProxies, client)) break;
    const address = addressOf(entry.trim());
    if (address === undefined) break;
    client = address;
  }
  return client;
}

/** The zone of a link-local address names a network card of this machine. */
function addressOf(text: string): string | undefined {
  return plainAddress(text.replace(/%.*$/, ''));
}
