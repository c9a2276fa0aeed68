/** The IP address that a request comes from, for the back-off of sign-ins and for the audit log. Contract 13.2. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * A proxy on this machine or in the private network appends the address that it was called from to `X-Forwarded-For`.
 * So the last entry that is not private is the client. What comes before it is what the client claims.
 */
export function clientAddress({ socket, headers }: IncomingMessage): string {
  const peer = plain(socket.remoteAddress ?? '');
  if (!isPrivate(peer)) return peer;
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const client = entries.map((entry) => plain(entry.trim())).findLast((entry) => !isPrivate(entry));
  return client !== undefined && isIP(client) !== 0 ? client : peer;
}

function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, bits, 'ipv4');
}
privateNetworks.addAddress('::1', 'ipv6');
privateNetworks.addSubnet('fc00::', 7, 'ipv6');

function isPrivate(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && privateNetworks.check(address, version === 6 ? 'ipv6' : 'ipv4');
}
