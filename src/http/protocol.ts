/** Cases of HTTP that Node would answer by itself, without the contract's error body. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../domain/errors.ts';

/** HTTP/1.1 requires `Host`; Node's own refusal has no body. */
export function findMissingHost(
  { raw }: FastifyRequest,
  reply: FastifyReply,
): ServiceError | undefined {
  if (raw.httpVersion !== '1.1' || raw.headers.host) return undefined;
  reply.header('connection', 'close');
  return new ServiceError('INVALID_REQUEST_PARAMETER', 'The header Host is missing: send it.');
}

/** The methods that Fastify routes. No path serves TRACE. */
const routedMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
]);
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

/**
 * Serves requests with an unknown `Expect` header like any other. `100 Continue` is sent when the body is first read,
 * and so never for a request that is refused before that.
 */
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
