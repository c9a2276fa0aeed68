/** Networks and the addresses in them, in every spelling of an address. */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** Each text is a network, such as `10.1.0.0/16`, or one address. Throws for anything else. */
export function networksOf(texts: readonly string[]): BlockList {
  const networks = new BlockList();
  for (const text of texts) {
    const [address = '', length] = text.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (length === undefined) networks.addAddress(address, family);
    else networks.addSubnet(address, Number(length), family);
  }
  return networks;
}

/** The address must be plain. */
export function contains(networks: BlockList, address: string): boolean {
  return networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** IPv4 within IPv6 counts as that IPv4 address. Undefined for what is no address. */
export function plainAddress(address: string): string | undefined {
  // A zone, such as in fe80::1%eth0, exists for link-local addresses only.
  if (isIP(address) === 0 || address.includes('%')) return undefined;
  if (isIPv4(address)) return address;
  // The URL parser writes every spelling of an address in the same way.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const mapped = /^::(?:ffff:(?:0:)?)?([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical);
  const translated = /^64:ff9b::([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical);
  const [, high, low] = mapped ?? translated ?? [];
  if (high === undefined || low === undefined) return canonical;
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
