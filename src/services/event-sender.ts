/**
 * Sends one event to one endpoint over HTTP. The address is checked when a connection is made, so that a name that
 * resolves differently the second time does not help. Redirects are not followed. Contract 12.5 and 12.6.
 */
import { lookup as lookUpName } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, request } from 'node:http';
import { Agent as HttpsAgent, request as requestSecurely } from 'node:https';
import { eventLimits } from '../domain/events/limits.ts';
import {
  checkAddress,
  checkLiteralHost,
  checkSocket,
  type LookUp,
  lookupChecked,
} from '../security/checked-address.ts';
import type { AllowedNetworks } from '../security/endpoint-address.ts';
import { explainFailure, keepText, readStart } from './event-answer.ts';
import { limitEarlyResponses, maxHeaderSize } from './limit-response.ts';
import { createNameLookups } from './name-lookups.ts';

type EventRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type SentEvent = {
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The start of the response, or why there was none. */
  readonly response: string;
  readonly retryAfter: string | undefined;
  readonly durationMs: number;
};

/** Never rejects: an event that could not be sent has no status. */
export type SendEvent = (event: EventRequest) => Promise<SentEvent>;

type EventSender = { readonly sendEvent: SendEvent; readonly close: () => void };

/** What a test replaces. */
export type SenderParts = {
  readonly answerMsMax?: number;
  readonly connectMsMax?: number;
  readonly lookUp?: LookUp;
  /** Certificates of authorities, which replace those of the platform. */
  readonly certificates?: string;
};

/** One per process: it keeps connections open. */
export function createEventSender(allowed: AllowedNetworks, parts: SenderParts = {}): EventSender {
  const options = {
    keepAlive: true,
    maxFreeSockets: 64,
    timeout: eventLimits.eventConnectionIdleMsMax,
  };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  const sender: Sender = {
    answerMsMax: eventLimits.eventAnswerMsMax,
    connectMsMax: eventLimits.eventConnectMsMax,
    certificates: undefined,
    ...parts,
    lookUp: createNameLookups(parts.lookUp ?? lookUpName),
    allowed,
  };
  return {
    sendEvent: async (event) => {
      const startedAtMs = performance.now();
      const sent = await sendOnce(sender, event, agents)
        .catch((error: unknown) => {
          // The endpoint closed an idle connection at the same moment. Others may be closed too, so this one is new.
          if (error instanceof ReusedConnectionError) return sendOnce(sender, event, undefined);
          throw error;
        })
        .catch((error: unknown) => ({ status: null, response: keepText(explainFailure(error)) }));
      const durationMs = Math.round(performance.now() - startedAtMs);
      return { retryAfter: undefined, ...sent, durationMs };
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent };
type Answer = Omit<SentEvent, 'durationMs'>;
type Sender = Required<Omit<SenderParts, 'certificates'>> & {
  readonly certificates: string | undefined;
  readonly allowed: AllowedNetworks;
};

class ReusedConnectionError extends Error {}

/** Without agents, over a connection of its own. */
function sendOnce(
  { answerMsMax, connectMsMax, lookUp, certificates, allowed }: Sender,
  { url: text, headers, body }: EventRequest,
  agents: Agents | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = new URL(text);
    const isSecure = url.protocol === 'https:';
    const check = (address: string) => checkAddress(url, address, allowed);
    checkLiteralHost(url, check);
    const sending = (isSecure ? requestSecurely : request)(url, {
      method: 'POST',
      agent: agents ? (isSecure ? agents.https : agents.http) : false,
      lookup: lookupChecked(lookUp, check),
      headers: { ...headers, 'content-length': body.length },
      maxHeaderSize,
      ...(certificates !== undefined && { ca: certificates }),
    });
    const deadline = setTimeout(
      () => sending.destroy(new Error(`no answer within ${answerMsMax / 1_000} s`)),
      answerMsMax,
    );
    limitConnecting(sending, isSecure, connectMsMax);
    limitEarlyResponses(sending);
    sending.on('socket', (socket) => checkSocket(socket, check, (error) => sending.destroy(error)));
    let hasAnswered = false;
    sending.on('response', (response) => {
      hasAnswered = true;
      readStart(response).then((start) => {
        const { statusCode: status = null, headers: answered } = response;
        resolve({ status, response: start, retryAfter: answered['retry-after'] });
      }, reject);
    });
    sending.on('error', (error: NodeJS.ErrnoException) => {
      // The status decides, whatever becomes of the rest of the response.
      if (hasAnswered) return;
      const isStale = sending.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      reject(isStale ? new ReusedConnectionError() : error);
    });
    sending.on('close', () => {
      clearTimeout(deadline);
      // Such as after 101 Switching Protocols, which the platform neither reports nor calls an error.
      if (!hasAnswered) reject(new Error('the connection was closed without an answer'));
    });
    sending.end(body);
  });
}

function limitConnecting(sending: ClientRequest, isSecure: boolean, connectMsMax: number): void {
  const seconds = connectMsMax / 1_000;
  sending.on('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => sending.destroy(new Error(`no connection within ${seconds} s`)),
      connectMsMax,
    );
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    socket.once('close', () => clearTimeout(timer));
  });
}
