/**
 * Checks the address of a connection at the moment when it is made, so that a name that resolves differently the second
 * time does not help. For addresses that others than the operator chose. Contract 11.6 and 12.6.
 */
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import {
  type AllowedNetworks,
  isAllowedAddress,
  isAllowedPort,
  isTrustedAddress,
} from './endpoint-address.ts';

export type LookUp = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/** Throws if a connection to this address must not be made. */
export type CheckAddress = (address: string) => void;

/** What an operator should read instead of the error of the platform. */
export class RefusedAddressError extends Error {}

/** http is allowed only within networks that the operator trusts. */
export function checkAddress(url: URL, address: string, allowed: AllowedNetworks): void {
  if (isTrustedAddress(address, allowed)) return;
  const refuse = (why: string) => {
    throw new RefusedAddressError(why);
  };
  if (url.protocol !== 'https:') refuse('the URL must begin with https://');
  if (!isAllowedAddress(address, allowed)) {
    refuse(
      `${url.hostname} has the address ${address}, which is not on the internet; the operator can allow its network with ENDPOINT_ALLOWED_NETWORKS`,
    );
  }
  if (!isAllowedPort(url)) refuse(`port ${url.port} is not allowed: use 443, or one from 1024 on`);
}

/** The platform looks up names only, so an address that is written in the URL is checked before. */
export function checkLiteralHost({ hostname }: URL, check: CheckAddress): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) check(host);
}

/** A lookup that leaves out the addresses that must not be called. */
export function lookupChecked(lookUp: LookUp, check: CheckAddress): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0);
      const refusals: unknown[] = [];
      const usable = found.filter(({ address }) => {
        try {
          check(address);
          return true;
        } catch (refusal) {
          refusals.push(refusal);
          return false;
        }
      });
      const [first] = usable;
      if (!first) return callback((refusals[0] ?? nameWithoutAddress) as Error, '', 0);
      if (options.all) return callback(null, usable);
      return callback(null, first.address, first.family);
    });
  };
}

const nameWithoutAddress = Object.assign(new Error('no address'), { code: 'ENOTFOUND' });

/** Checks the address that is really connected to, whatever chose it. */
export function checkSocket(socket: Socket, check: CheckAddress, refuse: (error: Error) => void) {
  const checkRemote = () => {
    try {
      if (socket.remoteAddress !== undefined) check(socket.remoteAddress);
    } catch (error) {
      refuse(error as Error);
    }
  };
  if (socket.connecting) socket.once('connect', checkRemote);
  else checkRemote();
}
