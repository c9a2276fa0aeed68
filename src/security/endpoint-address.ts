/**
 * Which addresses events may be sent to. A merchant chooses the URL, and the service must not become a way into the
 * operator's own network. Contract 12.6.
 */
import { type BlockList, isIP, isIPv4 } from 'node:net';
import { acceptedSchemes } from '../domain/accounts/endpoint.ts';
import { contains, networksOf, plainAddress } from './networks.ts';

/** Networks that are not the internet, by the registries of special purpose addresses of IANA. */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Only 2000::/3 is the internet, and within it these are not. The last two carry an IPv4 address. */
const special6 = ['2001::/23', '2001:db8::/32', '3fff::/20', '2620:4f:8000::/48', '2002::/16'];
const internet6 = ['2000::/3'];
export const loopback = ['127.0.0.0/8', '::1/128'];

const specialNetworks = networksOf([...special4, ...special6]);
const internetNetworks = networksOf(internet6);
const loopbackNetworks = networksOf(loopback);

export type AllowedNetworks = {
  /** In the embedded mode, where the shop may run on the same machine. */
  readonly loopback: boolean;
  /** Of `ENDPOINT_ALLOWED_NETWORKS`. */
  readonly listed: BlockList;
  readonly hasListed: boolean;
};

/** Whether a connection to this address is allowed only because it is loopback or a listed network. */
export function isTrustedAddress(address: string, allowed: AllowedNetworks): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  return (allowed.loopback && contains(loopbackNetworks, plain)) || contains(allowed.listed, plain);
}

export function isAllowedAddress(address: string, allowed: AllowedNetworks): boolean {
  return isTrustedAddress(address, allowed) || isInternetAddress(address);
}

/**
 * What is wrong with the host of a URL, as far as that can be said without resolving a name; undefined if nothing is.
 * Every connection is checked again.
 */
export function checkEndpointHost(url: URL, allowed: AllowedNetworks): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocalName = /(?:^|\.)localhost\.?$/.test(host);
  const address = isLocalName ? '127.0.0.1' : isIP(host) === 0 ? undefined : host;
  const isTrusted = address !== undefined && isTrustedAddress(address, allowed);
  if (isTrusted) return undefined;
  if (address !== undefined && !isAllowedAddress(address, allowed)) {
    return `must be on the internet: ${host} is not, unless it is loopback in embedded mode (https or http), or the operator allows its network with ENDPOINT_ALLOWED_NETWORKS`;
  }
  // A name may resolve to an address in a network that is listed.
  const mayBeTrusted = address === undefined && allowed.hasListed;
  if (url.protocol !== 'https:' && !mayBeTrusted) return acceptedSchemes;
  if (!isAllowedPort(url) && !mayBeTrusted) return 'must use port 443, or one from 1024 on';
  return undefined;
}

/** Low ports of the internet belong to other protocols. */
export function isAllowedPort({ port }: URL): boolean {
  return port === '' || port === '443' || Number(port) >= 1_024;
}

function isInternetAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || contains(specialNetworks, plain)) return false;
  return isIPv4(plain) || contains(internetNetworks, plain);
}

export function allowedNetworksOf(
  listed: readonly string[],
  { loopback }: Pick<AllowedNetworks, 'loopback'>,
): AllowedNetworks {
  return { loopback, listed: networksOf(listed), hasListed: listed.length > 0 };
}
