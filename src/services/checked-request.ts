/**
 * Begins a request to an address that others than the operator chose, such as that of an endpoint or of a provider. The
 * address is checked when the connection is made, redirects are not followed, and what can be read before the response
 * begins is limited. Contract 11.6, 12.5 and 12.6.
 */
import { type ClientRequest, Agent as HttpAgent, request } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions, request as requestSecurely } from 'node:https';
import { eventLimits } from '../domain/events/limits.ts';
import {
  type CheckAddress,
  checkLiteralHost,
  checkSocket,
  type LookUp,
  lookupChecked,
} from '../security/checked-address.ts';

/** What a test replaces. */
export type RequestParts = {
  readonly lookUp?: LookUp;
  /** Certificates of authorities, which replace those of the platform. */
  readonly certificates?: string;
};

/** They keep connections open. */
export function createAgents(limits: {
  readonly maxFreeSockets: number;
  readonly timeout: number;
}) {
  const options = { keepAlive: true, ...limits };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

/** Without agents, over a connection of its own. */
export function requestChecked(
  url: URL,
  options: RequestOptions,
  agents: ReturnType<typeof createAgents> | undefined,
  lookUp: LookUp,
  check: CheckAddress,
): ClientRequest {
  checkLiteralHost(url, check);
  const isSecure = url.protocol === 'https:';
  const sending = (isSecure ? requestSecurely : request)(url, {
    ...options,
    agent: agents ? (isSecure ? agents.https : agents.http) : false,
    lookup: lookupChecked(lookUp, check),
    maxHeaderSize: eventLimits.responseHeaderBytesMax,
  });
  // A server may send 1xx responses before the response itself, and the platform would read them for ever.
  const { earlyResponsesMax } = eventLimits;
  let early = 0;
  sending.on('information', () => {
    early += 1;
    if (early <= earlyResponsesMax) return;
    sending.destroy(new Error(`more than ${earlyResponsesMax} responses with status 1xx`));
  });
  sending.on('socket', (socket) => checkSocket(socket, check, (error) => sending.destroy(error)));
  return sending;
}
