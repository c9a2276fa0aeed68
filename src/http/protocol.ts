/** What holds for every request, and the cases of HTTP that Node would answer without the contract's error body. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { holdsCardNumber } from '../domain/cards/card-numbers.ts';
import { ServiceError } from '../domain/errors.ts';
import { randomBase62 } from '../domain/ids.ts';
import { errorBody } from './error-reply.ts';

/** HTTP/1.1 requires `Host`; Node's own refusal has no body. */
export function findMissingHost({ raw }: FastifyRequest, reply: FastifyReply) {
  if (raw.httpVersion !== '1.1' || raw.headers.host) return undefined;
  reply.header('connection', 'close');
  return new ServiceError('INVALID_REQUEST_PARAMETER', 'The header Host is missing: send it.');
}

/** The methods that Fastify routes. No path serves TRACE. */
const routedMethods = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE'.split(' '));
const sharedMethod = 'TRACE';
const ownMethods = new WeakMap<IncomingMessage, string>();

/**
 * Fastify would answer any other method with 404. It is routed like TRACE instead, so that a known path refuses it with
 * 405. Adding these methods to Fastify would make a tree of all paths for each of Node's 34 methods, which took a third of
 * the time in which the application starts. Fastify calls this before it routes a request, and expects the URL to route.
 */
export function shareRoutes(request: IncomingMessage): string {
  const { method = sharedMethod, url = '' } = request;
  if (!routedMethods.has(method)) {
    ownMethods.set(request, method);
    request.method = sharedMethod;
  }
  return url;
}

/** After routing, metrics and logs name the method that was sent. */
export function restoreMethod(request: IncomingMessage): void {
  if (request.method === sharedMethod) request.method = ownMethods.get(request) ?? sharedMethod;
}

/** An unknown `Expect` is ignored. `100 Continue` is sent when the body is first read, so never before a refusal. */
export function handleExpectHeader({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('checkContinue', (request, response) => {
    const read = request._read.bind(request);
    request._read = (size) => {
      // After a refusal the body is read only to be discarded.
      if (!response.headersSent) response.writeContinue();
      request._read = read;
      read(size);
    };
    server.emit('request', request, response);
  });
}

/** The id that links a request to the operator's logs. The caller's `x-request-id` is used where it is safe in headers and logs. */
export function newRequestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || !/^[\w.-]{1,64}$/.test(given)) return randomBase62(20);
  return holdsCardNumber(given) ? randomBase62(20) : given;
}

/** JSON replies end with a line break, so that a terminal shows each on lines of its own. */
export function endLine(reply: FastifyReply, payload: unknown): unknown {
  if (typeof payload !== 'string' || payload === '') return payload;
  const type = reply.getHeader('content-type');
  const isJson = typeof type === 'string' && type.startsWith('application/json');
  return isJson ? `${payload}\n` : payload;
}

/** With LOG_LEVEL=debug. Bodies, headers and URLs contain secrets and personal data, so the route is logged. */
export function logRequests(app: FastifyInstance, log: Logger): void {
  // Without the hook, the other levels pay nothing for it.
  if (!log.isLevelEnabled('debug')) return;
  app.addHook('onResponse', (request, reply, done) => {
    const about = {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      account_id: request.foundCaller?.accountId,
    };
    log.debug(about, 'request');
    done();
  });
}

/** Requests that cannot be parsed or arrive too slowly are answered, and the connection is closed. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const invalid = new ServiceError('INVALID_REQUEST_PARAMETER', explain(error.code));
  const body = `${JSON.stringify(errorBody(invalid))}\n`;
  socket.end(
    [
      'HTTP/1.1 400 Bad Request',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${randomBase62(20)}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function explain(code: string | undefined): string {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request did not arrive in time: send it without pauses.';
    case 'HPE_HEADER_OVERFLOW':
      return 'The headers are too large: send fewer or shorter ones.';
    default:
      return 'This is not a valid HTTP/1.1 request: check the client.';
  }
}
