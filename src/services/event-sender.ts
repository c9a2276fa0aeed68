/**
 * Sends one event to one endpoint over HTTP, and keeps the start of the answer or why there was none. Contract 12.5 and
 * 12.6.
 */
import { lookup as lookUpName } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { maskCardNumbers } from '../domain/cards/card-numbers.ts';
import { eventLimits } from '../domain/events/limits.ts';
import { checkAddress } from '../security/checked-address.ts';
import type { AllowedNetworks } from '../security/endpoint-address.ts';
import { createAgents, type RequestParts, requestChecked } from './checked-request.ts';
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

/** What a test replaces. */
export type SenderParts = RequestParts & {
  readonly answerMsMax?: number;
  readonly connectMsMax?: number;
};

/** One per process: it keeps connections open. */
export function createEventSender(
  allowed: AllowedNetworks,
  {
    answerMsMax = eventLimits.eventAnswerMsMax,
    connectMsMax = eventLimits.eventConnectMsMax,
    lookUp = lookUpName,
    certificates,
  }: SenderParts = {},
): { readonly sendEvent: SendEvent; readonly close: () => void } {
  const agents = createAgents({
    maxFreeSockets: 64,
    timeout: eventLimits.eventConnectionIdleMsMax,
  });
  const lookUpSparingly = createNameLookups(lookUp);
  const sendOnce = async (
    { url: text, headers: given, body }: EventRequest,
    agentsToUse: typeof agents | undefined,
  ) => {
    const url = new URL(text);
    const headers = { ...given, 'content-length': body.length };
    const options = { method: 'POST', headers, ca: certificates };
    const sending = requestChecked(url, options, agentsToUse, lookUpSparingly, (address) =>
      checkAddress(url, address, allowed),
    );
    limitConnecting(sending, connectMsMax);
    return finish(sending, body, answerMsMax);
  };
  return {
    sendEvent: async (event) => {
      const startedAtMs = performance.now();
      const sent = await sendOnce(event, agents)
        .catch((error: unknown) => {
          // The endpoint closed an idle connection at the same moment. Others may be closed too, so this one is new.
          if (error instanceof ReusedConnectionError) return sendOnce(event, undefined);
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

class ReusedConnectionError extends Error {}

function finish(
  sending: ClientRequest,
  body: Buffer,
  answerMsMax: number,
): Promise<Omit<SentEvent, 'durationMs'>> {
  return new Promise((resolve, reject) => {
    const deadline = setTimeout(
      () => sending.destroy(new Error(`no answer within ${answerMsMax / 1_000} s`)),
      answerMsMax,
    );
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

function limitConnecting(sending: ClientRequest, connectMsMax: number): void {
  const seconds = connectMsMax / 1_000;
  sending.on('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => sending.destroy(new Error(`no connection within ${seconds} s`)),
      connectMsMax,
    );
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () =>
      clearTimeout(timer),
    );
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * What is kept of the answer of an endpoint: the start of its text without card numbers, or why there was none.
 * Contract 12.6. Never rejects: the status has arrived, and only that decides. A longer response is not read to its
 * end.
 */
function readStart(response: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      const text = decodeStart(Buffer.concat(chunks));
      const isCut = bytes > eventLimits.eventResponseBytesMax;
      resolve(keepText(isCut ? withoutCutNumber(text) : text));
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > eventLimits.eventResponseBytesMax) response.destroy();
    });
    response.on('error', () => {});
    response.on('close', finish);
  });
}

/** A card number that is cut off at the end is no longer recognised as one, so digits there are left out. */
export function withoutCutNumber(text: string): string {
  let start = text.length;
  while (start > 0 && /[\d\s.+-]/.test(text.charAt(start - 1))) start -= 1;
  const digit = text.slice(start).search(/\d/);
  return digit < 0 ? text : text.slice(0, start + digit);
}

/** PostgreSQL stores no NUL. */
function keepText(text: string): string {
  return decodeStart(Buffer.from(maskCardNumbers(text.replaceAll('\0', ''))));
}

/** A character that is cut off at the end is left out; bytes that are no text become three times as many. */
function decodeStart(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, eventLimits.eventResponseBytesMax), {
    stream: true,
  });
}

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  ENOTFOUND: 'the name of the host does not resolve',
  EAI_AGAIN: 'the name of the host could not be resolved',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network of the host cannot be reached',
  ETIMEDOUT: 'the host does not answer',
  EPROTO: 'the host does not answer with TLS',
};

/** By the start of their code: there are dozens of each. */
const explainedKinds: ReadonlyArray<readonly [code: RegExp, text: string]> = [
  [/^HPE_/, 'the answer is not valid HTTP'],
  [/^ERR_SSL_/, 'the host does not answer with TLS'],
  [/CERT|SIGNATURE|^CRL_/, 'the certificate of the host is not accepted'],
];

function explainFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'it could not be sent';
  const { code = '' } = error as NodeJS.ErrnoException;
  // Several addresses were tried, and each has its own error.
  const [first] = error instanceof AggregateError ? error.errors : [];
  if (first) return explainFailure(first);
  const [, kind] = explainedKinds.find(([codes]) => codes.test(code)) ?? [];
  // The platform adds advice for whoever starts the process.
  const message = error.message.replace(/; if the root CA.*/s, '');
  return explanations[code] ?? (kind ? `${kind}: ${message}` : message);
}
