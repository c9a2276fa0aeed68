/**
 * Sends one request to a provider over HTTP. An owner may choose the address, so it is checked as for events. What the
 * answer means is decided in `providers/call.ts`. Contract 11.6.
 */
import { lookup as lookUpName } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { paymentLimits } from '../domain/payments/limits.ts';
import { isLoopback } from '../domain/web-address.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  NotConnectedError,
  type SendToProvider,
} from '../providers/call.ts';
import { checkAddress, RefusedAddressError } from '../security/checked-address.ts';
import type { AllowedNetworks } from '../security/endpoint-address.ts';
import { createAgents, type RequestParts, requestChecked } from './checked-request.ts';
import { createNameLookups } from './name-lookups.ts';

/** One per process: it keeps connections open. The trusted URLs are those that the operator or this project chose. */
export function createProviderSender(
  allowed: AllowedNetworks,
  trustedUrls: readonly string[],
  { lookUp = lookUpName, certificates }: RequestParts = {},
): SendToProvider {
  const agents = createAgents({
    maxFreeSockets: paymentLimits.providerCallsMax,
    timeout: paymentLimits.providerConnectionIdleMsMax,
  });
  const trustedOrigins = new Set(trustedUrls.map((url) => new URL(url).origin));
  // Slow name servers of one account must not take all threads of the process.
  const lookUpSparingly = createNameLookups(lookUp);
  return async (text, sent) => {
    const url = new URL(text);
    const { method, signal } = sent;
    const headers = { ...commonHeaders, ...sent.headers };
    const options = { method, headers, signal, ca: certificates };
    // An address of this machine that is written out can be trusted: outside of the embedded mode only the operator can
    // set one, such as that of a simulator. A name that resolves to this machine is checked.
    const sending =
      trustedOrigins.has(url.origin) || isLoopback(url.hostname)
        ? requestChecked(url, options, agents, lookUp, () => {})
        : requestChecked(url, options, agents, lookUpSparingly, (address) =>
            checkAddress(url, address, allowed),
          );
    return finish(sending, sent);
  };
}

/** Some firewalls refuse requests that do not say what sends them. */
const commonHeaders = { 'accept-encoding': 'gzip', 'user-agent': 'node' };

function finish(sending: ClientRequest, { body }: HttpRequest): Promise<HttpAnswer> {
  const connection = watchConnection(sending);
  return new Promise((resolve, reject) => {
    sending.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      resolve({ status, body: unpack(response) });
    });
    sending.on('error', (error) => {
      const isUnsent = !connection.wasMade && !(error instanceof RefusedAddressError);
      reject(isUnsent ? new NotConnectedError('no connection', { cause: error }) : error);
    });
    // Such as after 101 Switching Protocols, which the platform neither reports nor calls an error.
    sending.on('close', () => reject(new Error('the connection was closed without an answer')));
    sending.end(body);
  });
}

/** Nothing is sent before there is a connection, with TLS if it has to be secure. */
function watchConnection(sending: ClientRequest): { wasMade: boolean } {
  const connection = { wasMade: false };
  sending.on('socket', (socket) => {
    const note = () => {
      connection.wasMade = true;
    };
    if (sending.reusedSocket || isReady(socket)) note();
    else socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', note);
  });
  return connection;
}

function isReady(socket: Socket): boolean {
  if (socket.connecting) return false;
  // Until the handshake has ended, the protocol is unknown.
  return !(socket instanceof TLSSocket) || /^TLS|^SSL/.test(socket.getProtocol() ?? '');
}

/** Destroying the unpacked stream ends the transfer as well. */
function unpack(response: IncomingMessage): Readable {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  // An error of the transfer reaches the reader through the unpacked stream.
  return pipeline(response, createGunzip(), () => {});
}
